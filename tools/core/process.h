// Process: running another program (a compiler, the application) to its end, without a shell.
#pragma once

#include "core/error.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

struct Command {
  std::vector<std::string> words;                   // program and arguments; the program is looked up in PATH
  std::string directory;                            // empty: the current one
  std::map<std::string, std::string> environment;   // added to the caller's environment
  std::vector<std::string> without_environment;     // names removed from it
  std::optional<std::chrono::milliseconds> timeout; // then the whole process group is killed
  bool pass_output = false;                         // output goes to the caller's stdout and stderr instead of being collected
};

struct Outcome {
  int exit_code = 0; // 128 + signal when killed by a signal
  int signal = 0;
  bool timed_out = false;
  std::string output; // stdout
  std::string errors; // stderr
  double seconds = 0; // wall time

  [[nodiscard]] bool succeeded() const { return exit_code == 0 && !timed_out; }
};

class Processes {
public:
  virtual ~Processes() = default;
  // An error only if the program could not be started; a failing program is an Outcome.
  virtual Result<Outcome> run(const Command &command) = 0;
};

class RealProcesses final : public Processes {
public:
  Result<Outcome> run(const Command &command) override;
};

// "cc -c 'a b.cpp'": for messages and logs.
[[nodiscard]] std::string shell_quoted(const std::vector<std::string> &words);

// Splits as a POSIX shell does: quotes and backslashes, no expansion.
[[nodiscard]] std::vector<std::string> shell_split(const std::string &line);

} // namespace kopt
