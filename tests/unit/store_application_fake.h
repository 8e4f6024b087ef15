// An application that is not there: answers runs as a test wants, with the times that its runtime would have written.
#pragma once

#include "core/disk.h"
#include "core/process.h"

#include <fmt/format.h>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kopt::fixture {

struct FakeKernel {
  double original_seconds = 1, variant_seconds = 0.25; // of one call
  int calls = 10;
  bool guards_hold = true;
  std::string output_on; // printed when its variant is on; empty: what the original prints
};

class FakeApplication final : public Processes {
public:
  explicit FakeApplication(MemoryDisk &disk) : disk_(disk) {}

  std::map<std::string, FakeKernel> kernels; // by slug
  std::string target = "heat";
  std::string output = "heat 0.25\n";
  std::function<void(Outcome &, bool on)> change; // last word on an outcome
  std::vector<Command> commands;                  // as they were run

  Result<Outcome> run(const Command &command) override {
    commands.push_back(command);
    const auto disabled = command.environment.contains("KOPT_DISABLE") ? command.environment.at("KOPT_DISABLE") : "";
    Outcome outcome;
    outcome.output = output;
    outcome.seconds = 1;
    bool any_on = false;
    for (const auto &[slug, kernel] : kernels) {
      const bool on = disabled != "1" && ("," + disabled + ",").find("," + slug + ",") == std::string::npos;
      any_on = any_on || on;
      const double seconds = on && kernel.guards_hold ? kernel.variant_seconds : kernel.original_seconds;
      outcome.seconds += seconds * kernel.calls;
      if (on && !kernel.output_on.empty()) outcome.output = kernel.output_on;
      write_time(command, slug, kernel, on && kernel.guards_hold, seconds);
    }
    if (change) change(outcome, any_on);
    return outcome;
  }

private:
  void write_time(const Command &command, const std::string &slug, const FakeKernel &kernel, bool variant, double seconds) {
    const auto file = command.environment.find("KOPT_TIME");
    if (file == command.environment.end()) return;
    constexpr double warm_up = 5; // of the first call, to be left out
    disk_.files[file->second] +=
        fmt::format("{{\"kernel\": \"{}\", \"target\": \"{}\", \"calls\": {}, \"variant_calls\": {}, \"seconds\": {}, "
                    "\"first_call_seconds\": {}}}\n",
                    slug, target, kernel.calls, variant ? kernel.calls : 0, seconds * (kernel.calls - 1) + warm_up, warm_up);
  }

  MemoryDisk &disk_;
};

} // namespace kopt::fixture
