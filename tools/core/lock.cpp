#include "core/lock.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace kopt {

namespace {

// " (process 123 on node7)", as the holder wrote it; empty if it has not yet.
std::string holder_of(int file) {
  char text[300] = {};
  const ssize_t count = ::pread(file, text, sizeof text - 1, 0);
  return count > 0 ? fmt::format(" (process {})", text) : "";
}

} // namespace

Result<Lock> Lock::take(const fs::path &file) {
  std::error_code ignored; // what matters is whether the file can be opened
  fs::create_directories(file.parent_path(), ignored);
  // Closed on exec: programs that the holder starts must not keep the lock when it is killed.
  Lock lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock.file_ < 0)
    return fail(fmt::format("cannot write: {}", std::strerror(errno)), file.string(),
                "check the permissions of " + file.parent_path().string());
  if (::flock(lock.file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return lock;
    return fail(fmt::format("another kopt is at work here{}", holder_of(lock.file_)), file.parent_path().string(),
                "wait until it has ended, or stop it there, and run the same command again");
  }
  utsname names{};
  const std::string host = ::uname(&names) == 0 ? fmt::format(" on {}", names.nodename) : "";
  const std::string holder = std::to_string(::getpid()) + host;
  if (::ftruncate(lock.file_, 0) == 0) (void)!::pwrite(lock.file_, holder.data(), holder.size(), 0);
  return lock;
}

Lock::~Lock() {
  if (file_ >= 0) ::close(file_);
}

} // namespace kopt
