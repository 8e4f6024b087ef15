// The part of KernelOpt that is linked into an application: what the dispatch at the head of each kernel's body calls.
// It needs C++11 and libc, and reads, once per kernel, at its first call:
//
//   KOPT_DISABLE=1          every kernel runs its original; also a list of kernels: KOPT_DISABLE=heat.diffuse,heat.relax
//   KOPT_TRACE=1            one line on stderr at a kernel's first call, and a summary at exit
//   KOPT_TIME=FILE          at exit, one line of JSON per kernel is appended to FILE
//
// With none of them set, a call costs two loads. A call counts as a whole, so a recursive kernel's inner calls count twice.
// Children made by fork() report nothing. Symbols are weak, so that two libraries of one link may each bring this file, and
// hidden, so that each shared object keeps its own list of kernels and reports it when it is unloaded.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

#define KOPT_SHARED extern "C" __attribute__((weak, visibility("hidden")))

// One kernel with a variant, a static variable in its body. The generated source declares the same.
struct kopt_site {
  const char *kernel;
  const char *target;
  unsigned long long calls, variant_calls, guard_failures, nanoseconds, first_nanoseconds;
  kopt_site *next;
  int state; // 0: not yet called; else what to do with calls, as in the enum below
  int reserved;
};

KOPT_SHARED int kopt_enter(kopt_site *site) noexcept;
KOPT_SHARED void kopt_leave(kopt_site *site, unsigned long long start, int took_variant) noexcept;
KOPT_SHARED unsigned long long kopt_now(void) noexcept;

namespace {

typedef unsigned long long Count;

// Bits of kopt_site::state. The first two are also the result of kopt_enter().
enum : int { variants_on = 1, timed = 2, traced = 4, known = 8 };

// All that outlives a call. Plain words, never destroyed: kernels may run before and after main().
kopt_site *first_site = nullptr;
pid_t owner = 0;

Count read(const Count &counter) noexcept { return __atomic_load_n(&counter, __ATOMIC_RELAXED); }
void add(Count &counter, Count amount) noexcept { __atomic_fetch_add(&counter, amount, __ATOMIC_RELAXED); }

const char *setting(const char *name) noexcept {
  const char *value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool equals(const char *text, std::size_t length, const char *word) noexcept {
  return std::strlen(word) == length && std::strncmp(text, word, length) == 0;
}

bool is_one_of(const char *text, std::size_t length, const char *const (&words)[5]) noexcept {
  for (const char *word : words)
    if (equals(text, length, word)) return true;
  return false;
}

// Whether a list of words, separated by commas or spaces, switches this kernel off: by "1", by its name, or by target/name.
bool is_disabled(const char *list, const kopt_site &site) noexcept {
  static const char *const all[5] = {"1", "on", "ON", "true", "all"};
  const std::size_t target_length = std::strlen(site.target);
  for (const char *word = list; *word != '\0';) {
    std::size_t length = std::strcspn(word, ", ");
    if (is_one_of(word, length, all) || equals(word, length, site.kernel)) return true;
    if (length > target_length && word[target_length] == '/' && std::strncmp(word, site.target, target_length) == 0 &&
        equals(word + target_length + 1, length - target_length - 1, site.kernel))
      return true;
    word += length + std::strspn(word + length, ", ");
  }
  return false;
}

bool is_on(const char *value) noexcept {
  static const char *const no[5] = {"0", "off", "OFF", "false", "no"};
  return value != nullptr && !is_one_of(value, std::strlen(value), no);
}

int state_from_environment(const kopt_site &site) noexcept {
  int state = known;
  const char *disabled = setting("KOPT_DISABLE");
  if (disabled == nullptr || !is_disabled(disabled, site)) state |= variants_on;
  if (is_on(setting("KOPT_TRACE"))) state |= traced;
  if (setting("KOPT_TIME") != nullptr) state |= timed;
  return state;
}

// The state of a site; at its first call it is decided, and the site joins the list. Threads that meet here decide the same,
// and one of them adds the site.
int state_of(kopt_site *site) noexcept {
  int state = __atomic_load_n(&site->state, __ATOMIC_ACQUIRE);
  if (state != 0) return state;
  const int decided = state_from_environment(*site);
  if (!__atomic_compare_exchange_n(&site->state, &state, decided, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return state;
  pid_t nobody = 0;
  __atomic_compare_exchange_n(&owner, &nobody, getpid(), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  kopt_site *head = __atomic_load_n(&first_site, __ATOMIC_ACQUIRE);
  do site->next = head;
  while (!__atomic_compare_exchange_n(&first_site, &head, site, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  return decided;
}

void trace_first_call(const kopt_site &site, int state, bool took_variant) noexcept {
  const char *what = "runs the variant";
  if (!took_variant)
    what = (state & variants_on) != 0 ? "runs the original: its guards do not hold" : "runs the original: KOPT_DISABLE";
  std::fprintf(stderr, "kopt: %s (%s) %s\n", site.kernel, site.target, what);
}

void trace_summary(const kopt_site &site) noexcept {
  std::fprintf(stderr, "kopt: %s (%s): %llu calls, %llu ran the variant, %llu with guards that did not hold\n", site.kernel,
               site.target, read(site.calls), read(site.variant_calls), read(site.guard_failures));
}

// Copies a name into a JSON string; what JSON would have to escape cannot be in a kernel's name, and is replaced.
const char *json_text(char (&buffer)[256], const char *text) noexcept {
  std::size_t length = 0;
  for (; text[length] != '\0' && length + 1 < sizeof buffer; ++length) {
    const unsigned char c = static_cast<unsigned char>(text[length]);
    buffer[length] = c < 0x20 || c == '"' || c == '\\' ? '_' : text[length];
  }
  buffer[length] = '\0';
  return buffer;
}

// One write() of a whole line, so that the lines of several processes do not mix. Without %f, which depends on the locale.
void append_time(int file, const kopt_site &site) noexcept {
  char kernel[256], target[256], line[1024];
  const Count second = 1000000000ULL, total = read(site.nanoseconds), first = read(site.first_nanoseconds);
  const int length = std::snprintf(line, sizeof line,
                                   "{\"kernel\": \"%s\", \"target\": \"%s\", \"calls\": %llu, \"variant_calls\": %llu, "
                                   "\"seconds\": %llu.%09llu, \"first_call_seconds\": %llu.%09llu}\n",
                                   json_text(kernel, site.kernel), json_text(target, site.target), read(site.calls),
                                   read(site.variant_calls), total / second, total % second, first / second, first % second);
  if (length > 0 && ::write(file, line, static_cast<std::size_t>(length)) != length)
    std::fprintf(stderr, "kopt: KOPT_TIME: cannot write the times of %s: %s\n", site.kernel, std::strerror(errno));
}

// Where the file cannot be opened, a message takes the place of the times.
int open_times() noexcept {
  const char *name = setting("KOPT_TIME");
  if (name == nullptr) return -1;
  const int file = ::open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) std::fprintf(stderr, "kopt: KOPT_TIME: cannot write %s: %s\n", name, std::strerror(errno));
  return file;
}

// A destructor of the object file, not of a variable: it runs after the application's own static variables are gone, whose
// destructors may still call kernels.
__attribute__((destructor)) void report() noexcept {
  kopt_site *site = __atomic_load_n(&first_site, __ATOMIC_ACQUIRE);
  if (site == nullptr || owner != getpid()) return;
  const int state = __atomic_load_n(&site->state, __ATOMIC_ACQUIRE);
  const int file = (state & timed) != 0 ? open_times() : -1;
  for (; site != nullptr; site = site->next) {
    if ((site->state & traced) != 0) trace_summary(*site);
    if (file >= 0) append_time(file, *site);
  }
  if (file >= 0) ::close(file);
}

} // namespace

unsigned long long kopt_now(void) noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<Count>(now.tv_sec) * 1000000000ULL + static_cast<Count>(now.tv_nsec);
}

int kopt_enter(kopt_site *site) noexcept { return state_of(site) & (variants_on | timed); }

void kopt_leave(kopt_site *site, unsigned long long start, int took_variant) noexcept {
  const int state = __atomic_load_n(&site->state, __ATOMIC_RELAXED);
  if ((state & (timed | traced)) == 0) return;
  const Count elapsed = (state & timed) != 0 ? kopt_now() - start : 0;
  const bool is_first = __atomic_fetch_add(&site->calls, 1ULL, __ATOMIC_RELAXED) == 0;
  add(site->nanoseconds, elapsed);
  if (took_variant != 0)
    add(site->variant_calls, 1);
  else if ((state & variants_on) != 0)
    add(site->guard_failures, 1);
  if (!is_first) return;
  __atomic_store_n(&site->first_nanoseconds, elapsed, __ATOMIC_RELAXED);
  if ((state & traced) != 0) trace_first_call(*site, state, took_variant != 0);
}
