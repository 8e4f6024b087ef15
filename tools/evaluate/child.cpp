#include "evaluate/child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace kopt {

namespace {

void close_if_open(int &file) {
  if (file >= 0) close(file);
  file = -1;
}

// Between fork and exec: only calls that are safe there.
[[noreturn]] void become_child(char *const *words, int arena, int requests, int records) {
  setsid();
  // Out of the way of the numbers they shall have.
  const int high_arena = fcntl(arena, F_DUPFD, 64), high_requests = fcntl(requests, F_DUPFD, 64),
            high_records = fcntl(records, F_DUPFD, 64);
  const int null = open("/dev/null", O_RDWR);
  for (int file = 0; file < 3; ++file) dup2(null, file);
  dup2(high_arena, protocol::arena_fd);
  dup2(high_requests, protocol::request_fd);
  dup2(high_records, protocol::record_fd);
  close_range(protocol::record_fd + 1, ~0U, 0);
  char *const no_environment[] = {nullptr};
  execve(words[0], words, no_environment);
  _exit(127);
}

} // namespace

Result<Child> Child::start(const std::vector<std::string> &words, int arena) {
  std::array<int, 2> requests{}, records{};
  if (pipe2(requests.data(), O_CLOEXEC) != 0) return fail(std::string("cannot make a pipe: ") + std::strerror(errno));
  if (pipe2(records.data(), O_CLOEXEC) != 0) {
    for (int &file : requests) close_if_open(file);
    return fail(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  std::vector<char *> argv;
  for (const std::string &word : words) argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  Child child;
  child.pid_ = fork();
  if (child.pid_ == 0) become_child(argv.data(), arena, requests[0], records[1]);
  const int error = errno;
  close_if_open(requests[0]);
  close_if_open(records[1]);
  child.requests_ = requests[1];
  child.records_ = records[0];
  if (child.pid_ < 0) return fail(std::string("cannot start a process: ") + std::strerror(error));
  return child;
}

Child::Child(Child &&other) noexcept { *this = std::move(other); }

Child &Child::operator=(Child &&other) noexcept {
  if (this == &other) return *this;
  kill();
  pid_ = std::exchange(other.pid_, -1);
  requests_ = std::exchange(other.requests_, -1);
  records_ = std::exchange(other.records_, -1);
  wait_status_ = other.wait_status_;
  return *this;
}

Child::~Child() { kill(); }

bool Child::send(const void *bytes, std::size_t size) {
  // A child that has gone must not take the supervisor with it by SIGPIPE.
  sigset_t pipe_signal, previous;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &previous);
  const char *next = static_cast<const char *>(bytes);
  bool broken = false;
  while (size > 0 && !broken) {
    const ssize_t written = write(requests_, next, size);
    if (written < 0 && errno == EINTR) continue;
    broken = written <= 0;
    if (broken) break;
    next += written;
    size -= static_cast<std::size_t>(written);
  }
  if (broken) {
    const timespec now{0, 0};
    sigtimedwait(&pipe_signal, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  return !broken;
}

Child::Answer Child::receive(protocol::Record &record, std::chrono::nanoseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  auto *next = reinterpret_cast<char *>(&record);
  std::size_t missing = sizeof record;
  while (missing > 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left < 0) return Answer::Timeout;
    pollfd waiting{records_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<long long>(left + 1, 60'000)));
    if (ready < 0 && errno != EINTR) return Answer::Ended;
    if (ready <= 0) continue;
    const ssize_t got = read(records_, next, missing);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Answer::Ended;
    next += got;
    missing -= static_cast<std::size_t>(got);
  }
  return Answer::Record;
}

bool Child::has_unread() const {
  pollfd waiting{records_, POLLIN, 0};
  return poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0;
}

int Child::threads() const {
  std::error_code error;
  int count = 0;
  for (std::filesystem::directory_iterator task("/proc/" + std::to_string(pid_) + "/task", error), end; !error && task != end;
       task.increment(error))
    ++count;
  return error ? 0 : count;
}

std::string Child::ending() {
  if (pid_ > 0) {
    // The pipe is closed, so the process is ending; do not wait for ever for one that only closed its pipe.
    for (int tries = 0; tries < 100 && pid_ > 0; ++tries) {
      if (waitpid(pid_, &wait_status_, WNOHANG) == pid_) {
        ::kill(-pid_, SIGKILL);
        pid_ = -1;
      } else {
        usleep(1000);
      }
    }
    if (pid_ > 0) return "closed its pipe";
  }
  if (WIFSIGNALED(wait_status_))
    return fmt::format("killed by signal {} ({})", WTERMSIG(wait_status_), strsignal(WTERMSIG(wait_status_)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(wait_status_));
}

void Child::kill() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL); // the whole session's group
    ::kill(pid_, SIGKILL);  // in case it had not become a group yet
    while (waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  close_if_open(requests_);
  close_if_open(records_);
}

} // namespace kopt
