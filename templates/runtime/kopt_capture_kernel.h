// Kernels and the groups of their calls: which calls are alike, how long they took, and which are worth a recording. Nothing
// here touches a file.
#ifndef KOPT_CAPTURE_KERNEL_H
#define KOPT_CAPTURE_KERNEL_H

#include "kopt_capture_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <sched.h>

namespace kopt_capture {

constexpr size_t most_groups = 4096; // that are told apart; calls beyond are timed together
constexpr int slow_lookups = 64;     // objects on the stack and globals take long to find

inline bool power_of_two(unsigned long long number) { return (number & (number - 1)) == 0; }

inline unsigned long long now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<unsigned long long>(time.tv_sec) * 1000000000ULL + static_cast<unsigned long long>(time.tv_nsec);
}

class Lock {
public:
  explicit Lock(std::atomic_flag &flag) : flag_(flag) {
    for (int spins = 0; flag_.test_and_set(std::memory_order_acquire); ++spins)
      if (spins > 100) sched_yield();
  }
  ~Lock() { flag_.clear(std::memory_order_release); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  std::atomic_flag &flag_;
};

struct Settings {
  std::string folder;
  unsigned long long limit = 1ULL << 30;
  int most = 4;
  std::vector<unsigned long long> only;

  Settings() {
    if (const char *text = std::getenv("KOPT_CAPTURE_DIR")) folder = text;
    if (const char *text = std::getenv("KOPT_CAPTURE_LIMIT")) limit = std::strtoull(text, nullptr, 10);
    if (const char *text = std::getenv("KOPT_CAPTURE_MOST")) most = std::max(1, std::atoi(text));
    const char *list = std::getenv("KOPT_CAPTURE_ONLY");
    while (list != nullptr && *list != 0) {
      char *end = nullptr;
      const unsigned long long call = std::strtoull(list, &end, 10);
      if (end == list) break;
      only.push_back(call);
      list = *end == ',' ? end + 1 : end;
    }
  }
};

// Groups live as long as the process, so that a call can hold on to one without a lock.
struct Group {
  explicit Group(unsigned long long of) : key(of), calls(0), nanoseconds(0) {}
  unsigned long long key;
  std::atomic<unsigned long long> calls, nanoseconds;
  unsigned long long first = 0, latest = 0; // recorded calls, 0: none
  std::atomic<bool> refused{false};         // it cannot be recorded
};

// How large the object behind a pointer was when it was last looked up.
struct Remembered {
  const char *pointer = nullptr;
  unsigned long long size = 0;
  int hits = 0;
};

// What is known of one kernel.
struct Kernel {
  std::string slug;
  std::atomic_flag busy = ATOMIC_FLAG_INIT; // guards what follows, for a moment
  unsigned long long calls = 0;
  std::atomic<unsigned long long> nanoseconds{0};
  unsigned long long load = 0; // bytes that the calls so far could reach
  std::vector<Group *> groups;
  std::vector<int> table; // open addressing by key: index of a group, -1: free
  std::vector<Remembered> objects;
  int lookups = 0;
  int kept = 0, attempts = 0;                     // groups with a recording; recordings begun
  std::atomic<bool> given_up{false}, told{false}; // nothing of it is recorded any more; the user knows why something is not
};

// The size of the object behind a pointer whose extent the model does not know; 0 where it takes too long to find out. A size
// may be out of date: it only tells groups apart.
inline unsigned long long object_size(Kernel &kernel, const char *pointer) {
  Remembered &slot = kernel.objects[(reinterpret_cast<std::uintptr_t>(pointer) >> 4) * 0x9e3779b97f4a7c15ULL >> 56];
  if (slot.pointer == pointer && ++slot.hits < 64) return slot.size;
  if (kernel.lookups >= slow_lookups) return 0;
  const unsigned long long start = now();
  const Region object = object_at(pointer);
  if (now() - start > 2000) ++kernel.lookups;
  slot.pointer = pointer;
  slot.size = object.size();
  slot.hits = 0;
  return slot.size;
}

struct Key {
  unsigned long long hash = 0;
  unsigned long long load = 0; // bytes that the call can reach

  void add(unsigned long long word) {
    hash = (hash ^ word) * 0x9fb21c651e98df25ULL;
    hash ^= hash >> 32;
  }
};

inline Key key_of(Kernel &kernel, const kopt_probe_leaf *leaves, int count) {
  Key key;
  for (int k = 0; k < count; ++k) {
    const kopt_probe_leaf &leaf = leaves[k];
    if (leaf.flags & kopt_leaf_shape) {
      const volatile unsigned char *bytes = static_cast<const volatile unsigned char *>(leaf.address);
      unsigned long long word = 0;
      for (unsigned long long i = 0; i < leaf.size; ++i) {
        word |= static_cast<unsigned long long>(bytes[i]) << (i % 8 * 8);
        if (i % 8 == 7 || i + 1 == leaf.size) key.add(word), word = 0;
      }
    }
    if (!(leaf.flags & kopt_leaf_pointer) || (leaf.flags & kopt_leaf_unused)) continue;
    unsigned long long bytes = bytes_ahead(leaf) + bytes_behind(leaf);
    if (leaf.address != nullptr && !has_extent(leaf)) bytes = object_size(kernel, target_of(leaf));
    key.add(leaf.address == nullptr ? ~0ULL : bytes);
    key.load += leaf.address == nullptr ? 0 : bytes;
  }
  return key;
}

inline void grow_table(Kernel &kernel) {
  kernel.table.assign(kernel.table.size() * 2, -1);
  for (size_t i = 0; i < kernel.groups.size(); ++i) {
    size_t at = kernel.groups[i]->key & (kernel.table.size() - 1);
    while (kernel.table[at] >= 0) at = (at + 1) & (kernel.table.size() - 1);
    kernel.table[at] = static_cast<int>(i);
  }
}

// The last group takes what comes when there are too many.
inline size_t group_of(Kernel &kernel, unsigned long long key) {
  size_t at = key & (kernel.table.size() - 1);
  for (; kernel.table[at] >= 0; at = (at + 1) & (kernel.table.size() - 1))
    if (kernel.groups[static_cast<size_t>(kernel.table[at])]->key == key) return static_cast<size_t>(kernel.table[at]);
  if (kernel.groups.size() == most_groups) return most_groups - 1;
  kernel.table[at] = static_cast<int>(kernel.groups.size());
  kernel.groups.push_back(new Group(key));
  if (kernel.groups.size() * 2 > kernel.table.size()) grow_table(kernel);
  return kernel.groups.size() - 1;
}

// The recorded group that took the least time.
inline Group *lightest(const Kernel &kernel) {
  Group *least = nullptr;
  for (Group *group : kernel.groups)
    if (group->first != 0 && (least == nullptr || group->nanoseconds < least->nanoseconds)) least = group;
  return least;
}

// Recordings cost time, so their number grows with the logarithm of the calls.
inline bool may_record_more(const Kernel &kernel, const Settings &settings) {
  int doublings = 0;
  for (unsigned long long calls = kernel.calls; calls > 1; calls /= 2) ++doublings;
  return kernel.attempts < 2 * settings.most + 4 * (1 + doublings);
}

inline bool is_wanted(const Kernel &kernel, const Group &group, unsigned long long load, const Settings &settings) {
  if (kernel.given_up || group.refused) return false;
  if (!settings.only.empty()) return std::find(settings.only.begin(), settings.only.end(), kernel.calls) != settings.only.end();
  const unsigned long long calls = group.calls;
  if (group.first == 0 && kernel.kept < settings.most) return may_record_more(kernel, settings);
  if (!power_of_two(calls) || !may_record_more(kernel, settings)) return false;
  if (group.first != 0) return true;
  const double bar = 1.25 * static_cast<double>(lightest(kernel)->nanoseconds);
  if (calls > 1) return static_cast<double>(group.nanoseconds) > bar;
  // Nothing is known of a new group but what it can reach; now and then one is tried all the same.
  const double pace = kernel.load == 0 ? 0 : static_cast<double>(kernel.nanoseconds) / static_cast<double>(kernel.load);
  return pace * static_cast<double>(load) > bar || power_of_two(kernel.calls);
}

} // namespace kopt_capture

#endif
