// Preloaded into kopt by kill_test.sh: ends the process, as `kill -9` does, when it is about to change a file below
// KOPT_KILL_BELOW (folders separated by :) for the KOPT_KILL_AT-th time; KOPT_KILL_TEAR=1: in the middle of a write. Without
// KOPT_KILL_AT it counts, and writes the number to KOPT_KILL_COUNT at the end.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>

namespace {

long count = 0;

template <typename F> F *real(const char *name) { return reinterpret_cast<F *>(::dlsym(RTLD_NEXT, name)); }

const char *variable(const char *name) {
  const char *value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_watched(std::string_view path) {
  for (std::string_view folders = variable("KOPT_KILL_BELOW"); !folders.empty();) {
    const auto end = std::min(folders.find(':'), folders.size());
    if (path.starts_with(folders.substr(0, end))) return true;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return false;
}

bool is_watched(int file) {
  char path[4096];
  const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  return size > 0 && is_watched(std::string_view(path, static_cast<std::size_t>(size)));
}

// Whether this is the change that must not be made.
bool is_the_one() {
  ++count;
  const char *at = std::getenv("KOPT_KILL_AT");
  return at != nullptr && std::strtol(at, nullptr, 10) == count;
}

void end_here() { ::kill(::getpid(), SIGKILL); }

struct Report {
  ~Report() {
    if (std::getenv("KOPT_KILL_COUNT") == nullptr || std::getenv("KOPT_KILL_AT") != nullptr) return;
    if (std::FILE *file = std::fopen(variable("KOPT_KILL_COUNT"), "w")) {
      std::fprintf(file, "%ld\n", count);
      std::fclose(file);
    }
  }
} report;

} // namespace

extern "C" {

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  static auto *const next = real<ssize_t(int, const void *, size_t, off64_t)>("pwrite64");
  if (is_watched(file) && is_the_one()) {
    if (*variable("KOPT_KILL_TEAR") == '1') (void)!next(file, bytes, size / 2, offset);
    end_here();
  }
  return next(file, bytes, size, offset);
}

ssize_t write(int file, const void *bytes, size_t size) {
  static auto *const next = real<ssize_t(int, const void *, size_t)>("write");
  if (is_watched(file) && is_the_one()) {
    if (*variable("KOPT_KILL_TEAR") == '1') (void)!next(file, bytes, size / 2);
    end_here();
  }
  return next(file, bytes, size);
}

int ftruncate64(int file, off64_t size) {
  static auto *const next = real<int(int, off64_t)>("ftruncate64");
  if (is_watched(file) && is_the_one()) end_here();
  return next(file, size);
}

int rename(const char *from, const char *to) {
  static auto *const next = real<int(const char *, const char *)>("rename");
  if (is_watched(std::string_view(to)) && is_the_one()) end_here();
  return next(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  static auto *const next = real<int(int, const char *, int, const char *, unsigned)>("renameat2");
  if (is_watched(std::string_view(to)) && is_the_one()) end_here();
  return next(from_folder, from, to_folder, to, flags);
}

int unlink(const char *path) {
  static auto *const next = real<int(const char *)>("unlink");
  if (is_watched(std::string_view(path)) && is_the_one()) end_here();
  return next(path);
}

int remove(const char *path) {
  static auto *const next = real<int(const char *)>("remove");
  if (is_watched(std::string_view(path)) && is_the_one()) end_here();
  return next(path);
}

int unlinkat(int folder, const char *path, int flags) {
  static auto *const next = real<int(int, const char *, int)>("unlinkat");
  if (is_the_one()) end_here(); // used by remove_all alone, on names within a folder
  return next(folder, path, flags);
}
}
