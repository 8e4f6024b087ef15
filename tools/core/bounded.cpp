#include "core/bounded.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kopt {

namespace {

[[noreturn]] void compute_and_leave(const std::function<std::string()> &compute, unsigned seconds, int out) {
  const rlimit processor{seconds, seconds + 1}, no_core{0, 0};
  ::setrlimit(RLIMIT_CPU, &processor);
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(SIGXCPU, SIG_DFL);
  const std::string text = compute();
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(out, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(1);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  ::_exit(0); // without destructors: what is open here belongs to the parent
}

std::string read_all(int in) {
  std::string text;
  char chunk[65536];
  for (;;) {
    const ssize_t length = ::read(in, chunk, sizeof chunk);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return text;
    text.append(chunk, static_cast<std::size_t>(length));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

} // namespace

Result<std::string> bounded(const std::function<std::string()> &compute, unsigned seconds) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(std::string("no pipe: ") + std::strerror(errno));
  const pid_t child = ::fork();
  if (child == 0) compute_and_leave(compute, seconds, ends[1]);
  ::close(ends[1]);
  std::string text = child > 0 ? read_all(ends[0]) : "";
  ::close(ends[0]);
  if (child < 0) return fail(std::string("no process: ") + std::strerror(errno));
  const int status = wait_for(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    return fail(fmt::format("takes more than {} s", seconds));
  return fail(WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status)) : "ended by itself");
}

} // namespace kopt
