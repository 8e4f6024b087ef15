// FakeProcesses: programs that exist only in a test. A fake compiler notes its commands and answers as told.
#pragma once

#include "core/process.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kopt::fixture {

class FakeProcesses final : public Processes {
public:
  // What running a command gives; by default success without output.
  std::function<Result<Outcome>(const Command &)> answer = [](const Command &) { return Outcome{}; };
  std::vector<Command> commands; // in the order they were run

  Result<Outcome> run(const Command &command) override {
    commands.push_back(command);
    return answer(command);
  }
};

// What a compiler that refuses a text with this diagnosis does.
inline Outcome refusal(const std::string &diagnosis) {
  Outcome outcome;
  outcome.exit_code = 1;
  outcome.errors = diagnosis;
  return outcome;
}

} // namespace kopt::fixture
