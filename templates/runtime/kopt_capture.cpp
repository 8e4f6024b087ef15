// kopt_capture: records calls of kernels while the application runs. It is compiled, without any instrumentation, into the
// instrumented copy of the executable (C++11, no dependencies). The *probes* that `kopt probe` puts at the head of kernels call
// it with the kernel's *leaves*: its scalars, pointers and values in the order of the model.
//
// AddressSanitizer's runtime tells which *object* (heap allocation, global, variable on the stack) a pointer leads into and how
// large it is, so that the whole object can be recorded, once, however many pointers lead into it. Where it does not know, or
// the object is too large, the *window* that the kernel touches is recorded instead, where the model has its extent.
//
//   KOPT_CAPTURE_DIR    folder for the recordings; unset: nothing is recorded
//   KOPT_CAPTURE_LIMIT  most bytes of contents in one recording, default 1 GiB
//   KOPT_CAPTURE_CALLS  calls to record, "1,100", instead of those chosen below
//
// Calls are told apart by their *shape*: the integers among the scalars. For each shape the first call is recorded, and the
// latest whose number is a power of two. A third shape gives way to a new one when the kernel's call number is a power of two;
// so there are at most three. One call is recorded at a time; others, nested or in other threads, just run.
//
// A recording, `<slug>.<call>.raw`, is lines of text with the contents of buffers between them
// (tools/mep/capture.h). It is renamed into place once its last line, `complete`, is written. `<slug>.calls` counts calls,
// `<slug>.problem` says why nothing could be recorded.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

// Shared with the prelude of instrumented sources (tools/mep/probe.cpp).
struct kopt_probe_leaf {
  const char *path;
  const volatile void *address; // of a scalar's bytes; for a pointer leaf, where it points
  unsigned long long size;      // bytes of a scalar, or of one element that a pointer leads to
  long long extent;             // elements that the kernel touches from the pointer on; -1: not known
  int flags;
};
enum { kopt_leaf_pointer = 1, kopt_leaf_written = 2, kopt_leaf_unused = 4, kopt_leaf_shape = 8 };

struct kopt_probe_site {
  const char *slug;
  void *state;
};

extern "C" {
// Absent where the executable is linked without AddressSanitizer.
__attribute__((weak)) const char *__asan_locate_address(void *, char *, size_t, void **, size_t *);
__attribute__((weak)) int __asan_address_is_poisoned(const volatile void *);
}

namespace {

constexpr int most_shapes = 3;
constexpr int margin = 16; // bytes ahead of an object that are surely there

using Bytes = std::string;

struct Shape {
  Bytes key;
  unsigned long long calls = 0;
  unsigned long long first = 0, latest = 0; // recorded calls, 0: none
};

// What is known of one kernel.
struct Kernel {
  std::string slug;
  unsigned long long calls = 0;
  std::vector<Shape> shapes;
  bool given_up = false;
};

// A stretch of memory that is recorded.
struct Region {
  const char *begin;
  const char *end;
  bool written;

  unsigned long long size() const { return static_cast<unsigned long long>(end - begin); }
};

// A recording being written. Errors are remembered and reported at the end.
class Recording {
public:
  explicit Recording(std::string path) : path_(std::move(path)), part_(path_ + ".part." + std::to_string(getpid())) {
    file_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    failed_ = file_ < 0;
  }
  ~Recording() {
    if (file_ >= 0) close(file_);
    if (file_ >= 0 && !kept_) unlink(part_.c_str());
  }
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  void line(const std::string &text) { bytes((text + '\n').data(), text.size() + 1); }

  // Copies through a buffer of ours: parts of an object may be poisoned, and write() would be checked.
  __attribute__((no_sanitize_address)) void bytes(const char *data, unsigned long long size) {
    while (size > 0 && !failed_) {
      const size_t count = size < sizeof chunk_ ? static_cast<size_t>(size) : sizeof chunk_;
      for (size_t i = 0; i < count; ++i) {
        chunk_[i] = data[i];
        if (i % 64 == 0) __asm__ volatile("" ::: "memory"); // stays a loop: memcpy() would be checked
      }
      put(chunk_, count);
      data += count;
      size -= count;
    }
  }

  bool keep() {
    if (failed_) return false;
    kept_ = rename(part_.c_str(), path_.c_str()) == 0;
    return kept_;
  }

private:
  void put(const char *data, size_t size) {
    while (size > 0) {
      const ssize_t count = write(file_, data, size);
      if (count <= 0) {
        failed_ = true;
        return;
      }
      data += count;
      size -= static_cast<size_t>(count);
    }
  }

  std::string path_, part_;
  int file_ = -1;
  bool failed_ = false, kept_ = false;
  char chunk_[1 << 16];
};

struct Settings {
  std::string folder;
  unsigned long long limit = 1ULL << 30;
  std::vector<unsigned long long> calls;

  Settings() {
    if (const char *text = std::getenv("KOPT_CAPTURE_DIR")) folder = text;
    if (const char *text = std::getenv("KOPT_CAPTURE_LIMIT")) limit = std::strtoull(text, nullptr, 10);
    const char *list = std::getenv("KOPT_CAPTURE_CALLS");
    while (list != nullptr && *list != 0) {
      char *end = nullptr;
      const unsigned long long call = std::strtoull(list, &end, 10);
      if (end == list) break;
      calls.push_back(call);
      list = *end == ',' ? end + 1 : end;
    }
  }
};

// Everything that outlives a call. Never destroyed: kernels may run until the very end of the process.
struct Recorder {
  Settings settings;
  std::vector<Kernel *> kernels;
  std::atomic_flag table = ATOMIC_FLAG_INIT; // guards kernels, for a moment
  std::atomic<bool> busy{false};             // a call is being recorded
  Recording *recording = nullptr;            // of the thread that set `busy`, as all below
  std::vector<Region> regions;
  Kernel *kernel = nullptr;
  int slot = 0;
  unsigned long long call = 0;
};

void write_counts();

Recorder &recorder() {
  static Recorder *the = [] {
    std::atexit(write_counts);
    return new Recorder;
  }();
  return *the;
}

// The recorded call runs the kernel by calling it again; that call is not one of the application's.
thread_local bool own_call = false;

class Lock {
public:
  explicit Lock(std::atomic_flag &flag) : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Lock() { flag_.clear(std::memory_order_release); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  std::atomic_flag &flag_;
};

bool power_of_two(unsigned long long number) { return (number & (number - 1)) == 0; }

std::string hex(const volatile void *data, unsigned long long size) {
  static const char digits[] = "0123456789abcdef";
  const volatile unsigned char *bytes = static_cast<const volatile unsigned char *>(data);
  std::string text;
  for (unsigned long long i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

void write_text(const std::string &name, const std::string &text) {
  Recording file(recorder().settings.folder + "/" + name);
  file.bytes(text.data(), text.size());
  file.keep();
}

void write_counts_of(const Kernel &kernel, bool exact) {
  std::string text = "calls " + std::to_string(kernel.calls) + (exact ? " exact\n" : " so far\n");
  for (size_t i = 0; i < kernel.shapes.size(); ++i)
    text += "slot " + std::to_string(i) + " " + std::to_string(kernel.shapes[i].calls) + "\n";
  write_text(kernel.slug + ".calls", text);
}

void write_counts() {
  for (const Kernel *kernel : recorder().kernels) write_counts_of(*kernel, true);
}

void give_up(Kernel &kernel, const std::string &what) {
  kernel.given_up = true;
  std::fprintf(stderr, "kopt capture: %s: %s\n", kernel.slug.c_str(), what.c_str());
  write_text(kernel.slug + ".problem", what + "\n");
}

Kernel &kernel_of(kopt_probe_site *site) {
  if (site->state == nullptr) {
    for (Kernel *kernel : recorder().kernels)
      if (kernel->slug == site->slug) site->state = kernel;
  }
  if (site->state == nullptr) {
    Kernel *kernel = new Kernel;
    kernel->slug = site->slug;
    recorder().kernels.push_back(kernel);
    site->state = kernel;
  }
  return *static_cast<Kernel *>(site->state);
}

Bytes shape_key(const kopt_probe_leaf *leaves, int count) {
  Bytes key;
  for (int k = 0; k < count; ++k)
    if (leaves[k].flags & kopt_leaf_shape) key += hex(leaves[k].address, leaves[k].size);
  return key;
}

std::string recording_path(const Kernel &kernel, unsigned long long call) {
  return recorder().settings.folder + "/" + kernel.slug + "." + std::to_string(call) + ".raw";
}

void remove_recording(const Kernel &kernel, unsigned long long call) {
  if (call != 0) unlink(recording_path(kernel, call).c_str());
}

// The slot of this call's shape, or -1: one shape too many.
int slot_of(Kernel &kernel, const Bytes &key) {
  for (size_t i = 0; i < kernel.shapes.size(); ++i)
    if (kernel.shapes[i].key == key) return static_cast<int>(i);
  if (kernel.shapes.size() == most_shapes) {
    if (!power_of_two(kernel.calls)) return -1;
    remove_recording(kernel, kernel.shapes.back().first);
    remove_recording(kernel, kernel.shapes.back().latest);
    kernel.shapes.pop_back();
  }
  kernel.shapes.push_back(Shape());
  kernel.shapes.back().key = key;
  return static_cast<int>(kernel.shapes.size()) - 1;
}

bool is_wanted(const Kernel &kernel, const Shape &shape) {
  const std::vector<unsigned long long> &calls = recorder().settings.calls;
  if (calls.empty()) return shape.first == 0 || power_of_two(shape.calls);
  return std::find(calls.begin(), calls.end(), kernel.calls) != calls.end();
}

// Once a recording is complete: the one that it replaces goes.
void note_recorded(Kernel &kernel, int slot, unsigned long long call) {
  Shape &shape = kernel.shapes[static_cast<size_t>(slot)];
  if (shape.first == 0) {
    shape.first = call;
    return;
  }
  if (recorder().settings.calls.empty()) remove_recording(kernel, shape.latest);
  shape.latest = call;
}

// The live object that a pointer leads into; empty where it is not known. `p - 1` of an array that is counted from one leads
// into the array.
Region object_at(const volatile void *pointer) {
  Region none = {nullptr, nullptr, false};
  if (__asan_locate_address == nullptr) return none;
  void *begin = nullptr;
  size_t size = 0;
  char name[2];
  __asan_locate_address(const_cast<void *>(pointer), name, sizeof name, &begin, &size);
  if (begin == nullptr || size == 0 || __asan_address_is_poisoned(begin)) return none; // unknown, or freed
  const char *to = static_cast<const char *>(const_cast<const void *>(pointer));
  const char *first = static_cast<const char *>(begin), *last = first + size;
  if (to < first - margin || to > last) return none; // the nearest object is not the one
  return {to < first ? to : first, last, false};
}

Region window_at(const kopt_probe_leaf &leaf) {
  const char *begin = static_cast<const char *>(const_cast<const void *>(leaf.address));
  const unsigned long long bytes = leaf.extent < 0 ? 0 : static_cast<unsigned long long>(leaf.extent) * leaf.size;
  return {begin, begin + bytes, false};
}

// Regions that overlap become one: pointers into one object stay so.
void add_region(std::vector<Region> &regions, Region region) {
  for (size_t i = 0; i < regions.size();) {
    const Region &other = regions[i];
    if (other.end <= region.begin || region.end <= other.begin) {
      ++i;
      continue;
    }
    region.begin = region.begin < other.begin ? region.begin : other.begin;
    region.end = region.end > other.end ? region.end : other.end;
    region.written = region.written || other.written;
    regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
  regions.push_back(region);
}

bool needs_memory(const kopt_probe_leaf &leaf) {
  return (leaf.flags & kopt_leaf_pointer) && !(leaf.flags & kopt_leaf_unused) && leaf.address != nullptr && leaf.extent != 0;
}

unsigned long long total_of(const std::vector<Region> &regions) {
  unsigned long long total = 0;
  for (const Region &region : regions) total += region.size();
  return total;
}

// The memory that the call needs: whole objects, or only windows where `windows` is set and the model has extents.
// False, with `unknown` the leaf, where neither is known.
bool find_regions(const kopt_probe_leaf *leaves, int count, bool windows, std::vector<Region> &regions, const char *&unknown) {
  regions.clear();
  for (int k = 0; k < count; ++k) {
    if (!needs_memory(leaves[k])) continue;
    Region region = windows ? window_at(leaves[k]) : object_at(leaves[k].address);
    if (region.size() == 0) region = windows ? object_at(leaves[k].address) : window_at(leaves[k]);
    if (region.size() == 0) {
      unknown = leaves[k].path;
      return false;
    }
    region.written = (leaves[k].flags & kopt_leaf_written) != 0;
    add_region(regions, region);
  }
  return true;
}

std::string too_large(unsigned long long bytes, unsigned long long limit) {
  return "one call needs " + std::to_string(bytes) + " bytes, the limit is " + std::to_string(limit) +
         "; set KOPT_CAPTURE_LIMIT_MB to more, or make the RUN command's problem smaller";
}

bool find_memory(const kopt_probe_leaf *leaves, int count) {
  Recorder &the = recorder();
  const char *unknown = nullptr;
  bool found = find_regions(leaves, count, false, the.regions, unknown);
  if (found && total_of(the.regions) > the.settings.limit) found = find_regions(leaves, count, true, the.regions, unknown);
  if (!found) {
    give_up(*the.kernel,
            std::string("the size of what '") + unknown +
                "' points to is not known: it is no heap allocation, and its source is not instrumented or the memory is "
                "freed; give this kernel CASES");
    return false;
  }
  if (total_of(the.regions) <= the.settings.limit) return true;
  give_up(*the.kernel, too_large(total_of(the.regions), the.settings.limit));
  return false;
}

// The region that a pointer leads into; one past the end counts.
size_t region_of(const std::vector<Region> &regions, const char *pointer) {
  for (size_t i = 0; i < regions.size(); ++i)
    if (pointer >= regions[i].begin && pointer < regions[i].end) return i;
  const Region object = object_at(pointer);
  for (size_t i = 0; i < regions.size(); ++i)
    if (object.size() != 0 && regions[i].begin <= object.begin && object.begin < regions[i].end) return i;
  return regions.size();
}

void write_leaf(Recording &file, const kopt_probe_leaf &leaf) {
  const std::vector<Region> &regions = recorder().regions;
  if (!(leaf.flags & kopt_leaf_pointer)) {
    file.line("scalar " + hex(leaf.address, leaf.size) + " " + leaf.path);
    return;
  }
  const char *pointer = static_cast<const char *>(const_cast<const void *>(leaf.address));
  const size_t region = needs_memory(leaf) ? region_of(regions, pointer) : regions.size();
  if (region == regions.size())
    file.line(std::string("null ") + leaf.path);
  else
    file.line("pointer " + std::to_string(region) + " " + std::to_string(pointer - regions[region].begin) + " " + leaf.path);
}

void write_contents(Recording &file, const char *when, size_t index) {
  const Region &region = recorder().regions[index];
  file.line(std::string(when) + " " + std::to_string(index) + " " + std::to_string(region.size()));
  file.bytes(region.begin, region.size());
  file.line("");
}

void write_entry(const kopt_probe_leaf *leaves, int count) {
  Recorder &the = recorder();
  Recording &file = *the.recording;
  file.line("kopt-capture 1");
  file.line("kernel " + the.kernel->slug);
  file.line("call " + std::to_string(the.call));
  file.line("slot " + std::to_string(the.slot));
  for (int k = 0; k < count; ++k) write_leaf(file, leaves[k]);
  for (size_t i = 0; i < the.regions.size(); ++i) write_contents(file, "before", i);
}

// Counts the call; true, with `busy` held, where it is to be recorded.
bool begin_recording(kopt_probe_site *site, const Bytes &key) {
  Recorder &the = recorder();
  Lock lock(the.table);
  Kernel &kernel = kernel_of(site);
  ++kernel.calls;
  const int slot = kernel.given_up ? -1 : slot_of(kernel, key);
  if (slot < 0) return false;
  Shape &shape = kernel.shapes[static_cast<size_t>(slot)];
  ++shape.calls;
  if (!is_wanted(kernel, shape) || the.busy.exchange(true)) return false;
  the.kernel = &kernel;
  the.slot = slot;
  the.call = kernel.calls;
  the.recording = new Recording(recording_path(kernel, kernel.calls));
  return true;
}

void end_recording() {
  Recorder &the = recorder();
  delete the.recording;
  the.recording = nullptr;
  own_call = false;
  the.busy = false;
}

} // namespace

// 1: this call is to be recorded; the probe then calls the kernel and kopt_probe_leave() or, where it throws,
// kopt_probe_drop().
extern "C" int kopt_probe_enter(kopt_probe_site *site, const kopt_probe_leaf *leaves, int count) {
  Recorder &the = recorder();
  if (the.settings.folder.empty()) return 0;
  if (own_call) {
    own_call = false;
    return 0;
  }
  if (!begin_recording(site, shape_key(leaves, count))) return 0;
  if (!find_memory(leaves, count)) {
    end_recording();
    return 0;
  }
  write_entry(leaves, count);
  own_call = true;
  return 1;
}

extern "C" void kopt_probe_leave(kopt_probe_site *, const kopt_probe_leaf *leaves, int count, const volatile void *result,
                                 unsigned long long result_size) {
  Recorder &the = recorder();
  Recording &file = *the.recording;
  for (size_t i = 0; i < the.regions.size(); ++i)
    if (the.regions[i].written) write_contents(file, "after", i);
  for (int k = 0; k < count; ++k)
    if ((leaves[k].flags & kopt_leaf_written) && !(leaves[k].flags & kopt_leaf_pointer))
      file.line("left " + hex(leaves[k].address, leaves[k].size) + " " + leaves[k].path);
  if (result != nullptr) file.line("result " + hex(result, result_size));
  file.line("complete");
  if (file.keep()) {
    Lock lock(the.table);
    note_recorded(*the.kernel, the.slot, the.call);
    write_counts_of(*the.kernel, false);
  } else {
    give_up(*the.kernel, "cannot write into " + the.settings.folder + ": is the disk full, or the folder not writable?");
  }
  end_recording();
}

extern "C" void kopt_probe_drop(kopt_probe_site *) { end_recording(); }
