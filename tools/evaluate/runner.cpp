#include "evaluate/runner.h"

#include "evaluate/lockdown.h"
#include "evaluate/protocol.h"
#include "evaluate/team.h"

#include <cerrno>
#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <exception>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace kopt {

using protocol::Record;
using protocol::Request;
using protocol::Status;

namespace {

constexpr int abi_version = 1;
constexpr std::uint64_t spare_memory = 16ULL << 30; // above the arena: what a kernel may allocate

// A signal handler has no arguments of ours; this process serves one request at a time.
struct Current {
  std::uint64_t nonce = 0;
  std::uint32_t object = 0;
  std::uint64_t base = 0, reservation = 0;
} current;

struct Loaded {
  void (*bind)(void *const *) = nullptr;
  void (*call)(void *const *) = nullptr;
  void (*unbind)(void *const *) = nullptr;
  const unsigned long long *taken = nullptr;
};

void send(const Record &record) {
  const char *next = reinterpret_cast<const char *>(&record);
  std::size_t left = sizeof record;
  while (left > 0) {
    const ssize_t written = write(protocol::record_fd, next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(4);
    next += written;
    left -= static_cast<std::size_t>(written);
  }
}

bool receive(void *bytes, std::size_t size) {
  char *next = static_cast<char *>(bytes);
  while (size > 0) {
    const ssize_t got = read(protocol::request_fd, next, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

Record new_record(Status status) {
  Record record;
  record.nonce = current.nonce;
  record.object = current.object;
  record.status = status;
  return record;
}

void set_text(Record &record, const char *text) { std::strncpy(record.text, text, sizeof record.text - 1); }

std::uint64_t stack_pointer(const ucontext_t &context) {
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.sp;
#else
  (void)context;
  return 0;
#endif
}

bool was_write(const ucontext_t &context) {
#if defined(__x86_64__)
  return (context.uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  (void)context;
  return false;
#endif
}

void on_signal(int signal, siginfo_t *info, void *opaque) {
  const ucontext_t &context = *static_cast<const ucontext_t *>(opaque);
  Record record = new_record(signal == SIGSYS ? Status::SystemCall : Status::Fault);
  record.signal = signal;
  if (signal == SIGSYS) {
    record.value = static_cast<std::uint64_t>(info->si_syscall);
  } else {
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    record.address = address - current.base;
    if (was_write(context)) record.flags |= protocol::fault_write;
    if (address < current.base || address >= current.base + current.reservation) {
      record.flags |= protocol::fault_outside;
      record.address = address;
      const std::uint64_t top = stack_pointer(context);
      if (signal == SIGSEGV && address + (1 << 20) > top && address < top + (1 << 16)) record.flags |= protocol::fault_stack;
    }
  }
  send(record);
  _exit(3);
}

void catch_signals() {
  static char stack[64 * 1024]; // a stack overflow must be reported from another stack
  const stack_t alternative{stack, 0, sizeof stack};
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigaction(signal, &action, nullptr);
}

bool signals_as_set() {
  struct sigaction action {};
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  sigaction(SIGSEGV, nullptr, &action);
  return action.sa_sigaction == on_signal && sigisemptyset(&blocked) != 0;
}

// Reserves the address space and puts the windows into it; what is not a window stays inaccessible.
const char *map_arena(const protocol::Setup &setup) {
  void *base = mmap(nullptr, setup.reservation, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return "cannot reserve address space for the cases";
  current.base = reinterpret_cast<std::uint64_t>(base);
  current.reservation = setup.reservation;
  for (const protocol::Window &window : setup.windows)
    for (const protocol::Segment &segment : window.segments)
      if (mmap(reinterpret_cast<void *>(current.base + segment.address), segment.length, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED, protocol::arena_fd, static_cast<off_t>(segment.file_offset)) == MAP_FAILED)
        return "cannot map the cases into the runner";
  close(protocol::arena_fd);
  return nullptr;
}

const char *load(const std::string &path, Loaded &loaded) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
  const auto *abi = static_cast<const int *>(dlsym(handle, "kopt_abi"));
  if (!abi || *abi != abi_version) return "the object was not built for this version of kopt (kopt_abi)";
  loaded.bind = reinterpret_cast<void (*)(void *const *)>(dlsym(handle, "kopt_bind"));
  loaded.call = reinterpret_cast<void (*)(void *const *)>(dlsym(handle, "kopt_call"));
  loaded.unbind = reinterpret_cast<void (*)(void *const *)>(dlsym(handle, "kopt_unbind"));
  loaded.taken = static_cast<const unsigned long long *>(dlsym(handle, "kopt_taken"));
  return loaded.bind && loaded.call && loaded.unbind ? nullptr : "the object lacks kopt_bind, kopt_call or kopt_unbind";
}

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000ULL + static_cast<std::uint64_t>(time.tv_nsec);
}

// Brings the window's pages in and its lines near, the same before every call whatever ran before.
void touch(const protocol::Window &window) {
  for (const protocol::Segment &segment : window.segments) {
    const auto *bytes = reinterpret_cast<const volatile std::uint8_t *>(current.base + segment.address);
    for (std::uint64_t offset = 0; offset < segment.length; offset += 64) static_cast<void>(bytes[offset]);
  }
}

unsigned flush_bits() {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & 0xffc0U; // masks, rounding, flush to zero, denormals are zero
#else
  return 0;
#endif
}

class Service {
public:
  explicit Service(const protocol::Setup &setup) : setup_(setup) {}

  // Loads the objects and locks the process down. Returns nothing on success, else what failed.
  const char *get_ready(Record &ready);
  Record answer(const Request &request);

private:
  Record call(const Request &request, const Loaded &object);
  static void resolve(const std::vector<std::int64_t> &relative, std::vector<void *> &leaves);

  const protocol::Setup &setup_;
  Team team_;
  bool seccomp_ = false;
  Loaded objects_[2];
  std::vector<void *> leaves_, outputs_;
};

const char *Service::get_ready(Record &ready) {
  if (const char *error = map_arena(setup_)) return error;
  lockdown::limit_resources(setup_.reservation + spare_memory);
  if (setup_.use_landlock) ready.value = static_cast<std::uint64_t>(lockdown::restrict_files());
  if (const char *error = team_.start(setup_.threads)) return error; // under Landlock, which threads take over from their maker
  const bool all_threads = setup_.threads > 1;
  const bool first_stage = setup_.use_seccomp && lockdown::restrict_calls_for_loading(all_threads);
  if (const char *error = load(setup_.baseline, objects_[0])) return error;
  current.object = 1;
  if (!setup_.candidate.empty())
    if (const char *error = load(setup_.candidate, objects_[1])) return error;
  seccomp_ = first_stage && lockdown::restrict_calls_for_running(protocol::request_fd, protocol::record_fd, all_threads);
  if (seccomp_) ready.flags |= 1;
  ready.address = current.base;
  return nullptr;
}

Record Service::answer(const Request &request) {
  current.nonce = request.nonce;
  current.object = static_cast<std::uint32_t>(request.object);
  if (request.stop) return new_record(Status::Done);
  const protocol::Window &window = setup_.windows[request.window];
  resolve(window.leaves, leaves_);
  resolve(window.outputs, outputs_);
  touch(window);
  const Loaded &object = objects_[current.object];
  try {
    return call(request, object);
  } catch (const std::exception &error) {
    Record record = new_record(Status::Exception);
    set_text(record, error.what());
    return record;
  } catch (...) {
    return new_record(Status::Exception);
  }
}

void Service::resolve(const std::vector<std::int64_t> &relative, std::vector<void *> &leaves) {
  leaves.clear();
  for (const std::int64_t leaf : relative)
    leaves.push_back(leaf < 0 ? nullptr : reinterpret_cast<void *>(current.base + static_cast<std::uint64_t>(leaf)));
}

Record Service::call(const Request &request, const Loaded &object) {
  void *const *leaves = leaves_.data();
  const unsigned long long taken = object.taken ? *object.taken : 0;
  object.bind(leaves);
  team_.set_rounding(request.rounding);
  fenv_t environment;
  fegetenv(&environment);
  fesetround(request.rounding);
  const unsigned bits = flush_bits();
  const std::uint64_t start = now();
  object.call(leaves);
  const std::uint64_t stop = now();
  Record record = new_record(Status::Done);
  if (fegetround() != request.rounding) record.flags |= protocol::changed_rounding;
  if (flush_bits() != bits) record.flags |= protocol::changed_flush;
  fesetenv(&environment);
  if (!seccomp_ && !signals_as_set()) record.flags |= protocol::changed_signals;
  object.unbind(outputs_.data());
  record.value = stop - start;
  record.taken = (object.taken ? *object.taken : 0) - taken;
  return record;
}

Result<protocol::Setup> read_setup() {
  std::uint64_t size = 0;
  if (!receive(&size, sizeof size) || size > (256ULL << 20)) return fail("no setup");
  std::string text(size, '\0');
  if (!receive(text.data(), size)) return fail("the setup ends early");
  return protocol::decode_setup(text);
}

} // namespace

int run_runner() {
  const Result<protocol::Setup> setup = read_setup();
  if (!setup) return 2;
  catch_signals();
  Service service(*setup);
  Record ready = new_record(Status::Ready);
  if (const char *error = service.get_ready(ready)) {
    Record record = new_record(Status::Loading);
    set_text(record, error);
    send(record);
    return 2;
  }
  send(ready);
  Request request;
  while (receive(&request, sizeof request)) {
    send(service.answer(request));
    if (request.stop) break;
  }
  return 0;
}

} // namespace kopt
