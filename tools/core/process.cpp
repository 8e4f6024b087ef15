#include "core/process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; // NOLINT(readability-redundant-declaration): POSIX asks for it

namespace kopt {

namespace {

using Steady = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1, write_end = -1;
  ~Pipe() {
    close_read();
    close_write();
  }
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void close_read() {
    if (read_end >= 0) ::close(read_end);
    read_end = -1;
  }
  void close_write() {
    if (write_end >= 0) ::close(write_end);
    write_end = -1;
  }
};

std::vector<std::string> child_environment(const Command &command) {
  std::vector<std::string> entries;
  for (char **entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    const auto &removed = command.without_environment;
    if (command.environment.contains(name) || std::find(removed.begin(), removed.end(), name) != removed.end()) continue;
    entries.push_back(text);
  }
  for (const auto &[name, value] : command.environment) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char *> pointers(std::vector<std::string> &strings) {
  std::vector<char *> result;
  for (std::string &text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Moves what is there from the pipe to `text`; false at its end.
bool drain(int pipe, std::string &text) {
  char bytes[65536];
  const ssize_t count = ::read(pipe, bytes, sizeof bytes);
  if (count > 0) text.append(bytes, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

// Collects both pipes until they close or the deadline passes; false on the deadline.
bool collect(Pipe &out, Pipe &err, Outcome &outcome, std::optional<Steady::time_point> deadline) {
  pollfd watched[2] = {{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}};
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    int wait = -1;
    if (deadline) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Steady::now()).count();
      if (left <= 0) return false;
      wait = static_cast<int>(std::min<long>(left, 1 << 30));
    }
    if (::poll(watched, 2, wait) < 0 && errno != EINTR) return true;
    if (watched[0].revents != 0 && !drain(out.read_end, outcome.output)) watched[0].fd = -1;
    if (watched[1].revents != 0 && !drain(err.read_end, outcome.errors)) watched[1].fd = -1;
  }
  return true;
}

// Waits for the child; false when the deadline passes first.
bool wait_for(pid_t child, int &status, std::optional<Steady::time_point> deadline) {
  if (!deadline) {
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return true;
  }
  while (true) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR)) return true;
    if (Steady::now() >= *deadline) return false;
    ::usleep(2000);
  }
}

} // namespace

Result<Outcome> RealProcesses::run(const Command &command) {
  if (command.words.empty()) return fail("no program to run");
  Pipe out, err;
  if (!command.pass_output && (!out.open() || !err.open()))
    return fail(std::string("cannot make a pipe: ") + std::strerror(errno));

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!command.pass_output) {
    posix_spawn_file_actions_adddup2(&actions, out.write_end, 1);
    posix_spawn_file_actions_adddup2(&actions, err.write_end, 2);
  }
  if (!command.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, command.directory.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own, so that a timeout ends its children too; on a terminal, Ctrl-C must still reach programs whose output
  // is passed on.
  if (!command.pass_output) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);

  std::vector<std::string> words = command.words, environment = child_environment(command);
  std::vector<char *> arguments = pointers(words), variables = pointers(environment);
  const auto start = Steady::now();
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure == ENOENT && !command.directory.empty() && !std::filesystem::exists(command.directory))
    return fail("cannot run it: its folder " + command.directory + " does not exist", command.words[0], "make the folder");
  if (failure != 0)
    return fail(std::string("cannot run it: ") + std::strerror(failure), command.words[0], "is it installed and in PATH?");

  out.close_write();
  err.close_write();
  Outcome outcome;
  std::optional<Steady::time_point> deadline;
  if (command.timeout) deadline = start + *command.timeout;
  int status = 0;
  outcome.timed_out = !collect(out, err, outcome, deadline) || !wait_for(child, status, deadline);
  if (outcome.timed_out) {
    ::kill(command.pass_output ? child : -child, SIGKILL);
    wait_for(child, status, std::nullopt);
  }
  outcome.seconds = std::chrono::duration<double>(Steady::now() - start).count();
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.exit_code = outcome.signal != 0 ? 128 + outcome.signal : WEXITSTATUS(status);
  return outcome;
}

std::string shell_quoted(const std::vector<std::string> &words) {
  std::string line;
  for (const std::string &word : words) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                               "_-+=./:,@%") == std::string::npos;
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::vector<std::string> shell_split(const std::string &line) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false; // a word has begun, possibly an empty quoted one
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\'') {
      if (c == '\'')
        quote = 0;
      else
        word += c;
    } else if (c == '\\' && i + 1 < line.size()) {
      const char next = line[i + 1];
      // Inside double quotes a backslash escapes only these.
      if (quote == '"' && next != '"' && next != '\\' && next != '$' && next != '`')
        word += c;
      else
        ++i, word += next;
      inside = true;
    } else if (quote == '"') {
      if (c == '"')
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) words.push_back(word);
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

} // namespace kopt
