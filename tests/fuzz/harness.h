// Harness: runs candidates against the kernel they replace, on buffers that hold exactly the elements the kernel touches, under
// the sanitizers. A *tracer* is the kernel over arrays that note what is touched. Each candidate is a *unit*; the program works
// in a child process that is started again behind a unit that ended it. Plain C++17, so that a folder of programs can be
// checked where there is only a compiler.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace fuzz {

struct Sizes {
  int n, m, p, ld;
};

inline const std::vector<Sizes> &sizes_for(bool cubic) {
  static const std::vector<Sizes> flat{{0, 0, 0, 3},  {1, 1, 1, 4},    {2, 3, 1, 6},     {5, 4, 7, 10},    {17, 0, 9, 20},
                                       {0, 9, 4, 12}, {8, 16, 12, 19}, {33, 21, 18, 36}, {70, 67, 37, 73}, {37, 70, 64, 73}};
  static const std::vector<Sizes> cube{{0, 0, 0, 3},  {1, 1, 1, 4},     {2, 3, 4, 7},
                                       {9, 5, 7, 12}, {18, 17, 12, 21}, {12, 18, 19, 22}};
  return cubic ? cube : flat;
}

struct ArrayFacts {
  char type;    // d, f, i, u; x: an index array
  int axis = 0; // whose positions an index array holds
  const char *name = "";
};
inline std::size_t bytes_of(char type) { return type == 'd' ? 8 : 4; }

// What element `at` of array `number` holds before the kernel runs: the same whoever asks.
inline void fill(const ArrayFacts &facts, int number, long at, const Sizes &sizes, void *to) {
  unsigned long long z =
      static_cast<unsigned long long>(at) * 0x9e3779b97f4a7c15ULL + static_cast<unsigned>(number) * 77777ULL + 5;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  const double real = static_cast<double>(z >> 12) / static_cast<double>(1ULL << 49) - 4; // [-4, 4)
  const int size = facts.axis == 0 ? sizes.n : facts.axis == 1 ? sizes.m : sizes.p;
  const float single = static_cast<float>(real);
  const int small = static_cast<int>(z % 31) - 15, place = static_cast<int>(z % static_cast<unsigned>(std::max(1, size)));
  const unsigned any = static_cast<unsigned>(z);
  switch (facts.type) {
  case 'd':
    std::memcpy(to, &real, 8);
    break;
  case 'f':
    std::memcpy(to, &single, 4);
    break;
  case 'i':
    std::memcpy(to, &small, 4);
    break;
  case 'x':
    std::memcpy(to, &place, 4);
    break;
  default:
    std::memcpy(to, &any, 4);
    break;
  }
}

// The elements of one array that a tracer touched, with their values.
class Track {
public:
  static constexpr long below = 1 << 13, above = 1 << 16;

  void begin(const ArrayFacts &facts, int number, const Sizes &sizes) {
    facts_ = facts, number_ = number, sizes_ = sizes, low = high = 0;
    storage_.resize(static_cast<std::size_t>(below + above) * 8);
    seen_.assign(static_cast<std::size_t>(below + above), 0);
  }
  void *at(long index) {
    if (index < -below || index >= above) {
      std::printf("bad\ttracer\t%s[%ld] is out of the tracer's range\n", facts_.name, index);
      std::fflush(stdout);
      std::abort();
    }
    const std::size_t slot = static_cast<std::size_t>(index + below);
    void *place = storage_.data() + slot * 8;
    if (!seen_[slot]) fill(facts_, number_, index, sizes_, place);
    seen_[slot] = 1;
    if (low == high) low = index, high = index + 1;
    low = std::min(low, index), high = std::max(high, index + 1);
    return place;
  }

  long low = 0, high = 0; // [low, high)

private:
  ArrayFacts facts_{};
  int number_ = 0;
  Sizes sizes_{};
  std::vector<unsigned char> storage_, seen_;
};

template <typename T> struct Traced {
  Track *track;
  long offset = 0;
  T &operator[](long i) const { return *static_cast<T *>(track->at(offset + i)); }
  Traced operator+(long i) const { return {track, offset + i}; }
};
template <typename T, long length> struct TracedRows {
  Track *track;
  Traced<T> operator[](long i) const { return {track, i * length}; }
};

struct Sharing {
  int first, second, shift;
};

using Call = double (*)(const Sizes &, void *const *);
struct Candidate {
  const char *techniques; // "interchange, tiling; KOPT_TILE=32"
  bool is_exact;          // declares no change of rounding
  Call call;
};
struct Kernel {
  const char *name;
  bool is_cubic;
  std::vector<ArrayFacts> arrays;
  std::vector<Sharing> sharings;
  void (*trace)(const Sizes &, Track *);
  Call original;
  std::vector<Candidate> candidates;
};

extern unsigned long long taken; // calls in which a variant ran

// The arrays of one run: each in a heap block of the touched elements alone. Where two share one, contents may lead the kernel
// elsewhere than they led the tracer, so all blocks have some slack then.
class Memory {
public:
  Memory(const Kernel &kernel, const std::vector<Track> &tracks, const Sizes &sizes, const Sharing *sharing) : kernel_(kernel) {
    pointers.resize(kernel.arrays.size());
    for (std::size_t k = 0; k < kernel.arrays.size(); ++k) {
      const bool shares = sharing && (sharing->first == static_cast<int>(k) || sharing->second == static_cast<int>(k));
      const long slack = sharing ? shared_slack : 0;
      if (!shares) pointers[k] = place(k, tracks[k].low - slack, tracks[k].high + slack, sizes);
    }
    if (!sharing) return;
    const auto first = static_cast<std::size_t>(sharing->first), second = static_cast<std::size_t>(sharing->second);
    const long low = std::min(tracks[first].low, tracks[second].low + sharing->shift) - shared_slack;
    const long high = std::max(tracks[first].high, tracks[second].high + sharing->shift) + shared_slack;
    pointers[first] = place(first, low, high, sizes);
    pointers[second] =
        static_cast<char *>(pointers[first]) + sharing->shift * static_cast<long>(bytes_of(kernel.arrays[first].type));
  }

  // The first element that differs, in words; empty: none.
  std::string difference(const Memory &actual, double tolerance) const {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const Block &one = blocks_[k], &other = actual.blocks_[k];
      const std::size_t size = bytes_of(one.type);
      for (std::size_t at = 0; at < one.count; ++at) {
        const char *a = one.bytes.get() + at * size, *b = other.bytes.get() + at * size;
        if (std::memcmp(a, b, size) == 0 || is_close(one.type, a, b, tolerance)) continue;
        char text[200];
        std::snprintf(text, sizeof text, "%s[%ld] is %.17g, not %.17g", one.name, one.low + static_cast<long>(at),
                      number(one.type, b), number(one.type, a));
        return text;
      }
    }
    return "";
  }

  static bool is_close(double expected, double actual, double tolerance) {
    if (expected == actual || (std::isnan(expected) && std::isnan(actual))) return true;
    return std::fabs(expected - actual) <= tolerance * (1 + std::fabs(expected));
  }

  std::vector<void *> pointers; // as the kernel gets them

private:
  static constexpr long shared_slack = 9000;

  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t count;
    long low;
    char type;
    const char *name;
  };

  void *place(std::size_t number, long low, long high, const Sizes &sizes) {
    const ArrayFacts &facts = kernel_.arrays[number];
    const std::size_t size = bytes_of(facts.type), count = static_cast<std::size_t>(high - low);
    blocks_.push_back({std::unique_ptr<char[]>(new char[count * size]), count, low, facts.type, facts.name});
    char *bytes = blocks_.back().bytes.get();
    for (std::size_t at = 0; at < count; ++at)
      fill(facts, static_cast<int>(number), low + static_cast<long>(at), sizes, bytes + at * size);
    return bytes - low * static_cast<long>(size);
  }

  static double number(char type, const char *at) {
    double d = 0;
    float f = 0;
    int i = 0;
    unsigned u = 0;
    switch (type) {
    case 'd':
      std::memcpy(&d, at, 8);
      return d;
    case 'f':
      std::memcpy(&f, at, 4);
      return static_cast<double>(f);
    case 'u':
      std::memcpy(&u, at, 4);
      return u;
    default:
      std::memcpy(&i, at, 4);
      return i;
    }
  }
  static bool is_close(char type, const char *expected, const char *actual, double tolerance) {
    if (tolerance == 0 || (type != 'd' && type != 'f')) return false;
    return is_close(number(type, expected), number(type, actual), tolerance);
  }

  const Kernel &kernel_;
  std::vector<Block> blocks_;
};

// One set of sizes, with arrays apart or two of them sharing memory, and what the kernel makes of it.
struct Situation {
  Sizes sizes;
  const Sharing *sharing;
  std::vector<Track> tracks;
  std::unique_ptr<Memory> expected;
  double result;
};

inline std::vector<Situation> situations_of(const Kernel &kernel) {
  std::vector<Situation> situations;
  const std::vector<Sizes> &all = sizes_for(kernel.is_cubic);
  for (std::size_t s = 0; s < all.size(); ++s) {
    std::vector<Track> tracks(kernel.arrays.size());
    for (std::size_t k = 0; k < tracks.size(); ++k) tracks[k].begin(kernel.arrays[k], static_cast<int>(k), all[s]);
    kernel.trace(all[s], tracks.data());
    std::vector<const Sharing *> ways{nullptr};
    if (s + 3 >= all.size() || s == 3)
      for (const Sharing &sharing : kernel.sharings) ways.push_back(&sharing);
    for (const Sharing *sharing : ways) {
      auto memory = std::make_unique<Memory>(kernel, tracks, all[s], sharing);
      const double result = kernel.original(all[s], memory->pointers.data());
      situations.push_back({all[s], sharing, tracks, std::move(memory), result});
    }
  }
  return situations;
}

// How far results may be apart, relative to one or to their size. Arrays that overlap feed results back into inputs, which
// makes differences grow.
inline double tolerance_of(const Kernel &kernel, const Situation &situation) {
  const bool single =
      std::any_of(kernel.arrays.begin(), kernel.arrays.end(), [](const ArrayFacts &a) { return a.type == 'f'; });
  return (single ? 2e-4 : 1e-10) * (situation.sharing ? 1000 : 1);
}

// What is wrong with a candidate; empty: nothing.
inline std::string check(const Kernel &kernel, const Candidate &candidate, const std::vector<Situation> &situations) {
  for (const Situation &situation : situations) {
    Memory actual(kernel, situation.tracks, situation.sizes, situation.sharing);
    const unsigned long long before = taken;
    const double result = candidate.call(situation.sizes, actual.pointers.data());
    const bool exact = candidate.is_exact || taken == before; // the original ran
    const double tolerance = exact ? 0 : tolerance_of(kernel, situation);
    std::string difference = situation.expected->difference(actual, tolerance);
    const bool same = std::memcmp(&result, &situation.result, sizeof result) == 0;
    if (difference.empty() && !same && !Memory::is_close(situation.result, result, tolerance))
      difference = "the result is " + std::to_string(result) + ", not " + std::to_string(situation.result);
    if (difference.empty()) continue;
    char where[200];
    std::snprintf(where, sizeof where, " at n = %d, m = %d, p = %d%s", situation.sizes.n, situation.sizes.m, situation.sizes.p,
                  taken == before ? ", where the original ran" : "");
    difference += where;
    if (situation.sharing)
      difference += std::string(", with ") + kernel.arrays[static_cast<std::size_t>(situation.sharing->second)].name + " " +
                    std::to_string(situation.sharing->shift) + " after " +
                    kernel.arrays[static_cast<std::size_t>(situation.sharing->first)].name;
    return difference;
  }
  return "";
}

// Units are numbered through: each kernel's original, then its candidates.
inline void work(const std::vector<const Kernel *> &kernels, int first, volatile int *progress) {
  int unit = 0;
  for (const Kernel *kernel : kernels) {
    const int begin = unit, end = unit + 1 + static_cast<int>(kernel->candidates.size());
    unit = end;
    if (first >= end) continue;
    *progress = begin;
    alarm(120);
    const std::vector<Situation> situations = situations_of(*kernel);
    for (int k = std::max(0, first - begin - 1); k < end - begin - 1; ++k) {
      const Candidate &candidate = kernel->candidates[static_cast<std::size_t>(k)];
      *progress = begin + 1 + k;
      alarm(60);
      const unsigned long long before = taken;
      const std::string wrong = check(*kernel, candidate, situations);
      std::printf("%s\t%s\t%d\t%s\t%llu of %zu runs\t%s\n", wrong.empty() ? "ok" : "bad", kernel->name, k, candidate.techniques,
                  taken - before, situations.size(), wrong.c_str());
      std::fflush(stdout);
    }
  }
}

// Says which unit it was; returns the unit to go on with.
inline int report_end(const std::vector<const Kernel *> &kernels, int unit, int status) {
  int begin = 0;
  for (const Kernel *kernel : kernels) {
    const int end = begin + 1 + static_cast<int>(kernel->candidates.size());
    if (unit < end) {
      const bool original = unit == begin;
      std::printf("bad\t%s\t%d\t%s\t\t%s\n", kernel->name, unit - begin - 1,
                  original ? "the kernel itself" : kernel->candidates[static_cast<std::size_t>(unit - begin - 1)].techniques,
                  WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "does not end" : "stopped by a sanitizer or a signal");
      std::fflush(stdout);
      return original ? end : unit + 1;
    }
    begin = end;
  }
  return begin;
}

inline int run(const std::vector<const Kernel *> &kernels) {
  auto *progress =
      static_cast<volatile int *>(mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (int first = 0;;) {
    const pid_t child = fork();
    if (child == 0) {
      work(kernels, first, progress);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    first = report_end(kernels, *progress, status);
  }
  std::printf("end\n");
  return 0;
}

} // namespace fuzz
