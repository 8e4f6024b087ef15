// Application: running what the user named as RUN, with chosen kernels on their variants, and reading what its runtime measured
// (templates/runtime/kopt_runtime.cpp).
#pragma once

#include "core/disk.h"
#include "core/process.h"
#include "core/spec.h"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kopt {

struct KernelTime { // of one kernel in one run
  unsigned long long calls = 0, variant_calls = 0;
  unsigned long long processes = 0; // that called it; each has a first call
  double seconds = 0, first_call_seconds = 0;

  // Mean seconds of a call; the first, which warms up, counts only where there is no other.
  [[nodiscard]] double per_call() const;
};

struct ApplicationRun {
  Outcome outcome;
  std::map<std::string, KernelTime> kernels; // by slug
};

// Which kernels run their originals.
struct Disabled {
  bool all = false;
  std::set<std::string> slugs;

  [[nodiscard]] std::string text() const; // as KOPT_DISABLE wants it
};

class Application {
public:
  Application(Disk &disk, Processes &processes, const Spec &spec) : disk_(disk), processes_(processes), spec_(spec) {}

  // Whether there is something to run, and it is built. The error says what is missing.
  [[nodiscard]] Result<void> check() const;
  // Runs RUN, or the target itself where there is no RUN.
  Result<ApplicationRun> run(const Disabled &disabled, std::optional<std::chrono::milliseconds> timeout = std::nullopt);
  // Runs the VALIDATE command.
  Result<Outcome> run_check(const Disabled &disabled, std::optional<std::chrono::milliseconds> timeout = std::nullopt);
  [[nodiscard]] bool has_check() const { return !spec_.validate.empty(); }
  [[nodiscard]] std::vector<std::string> words() const;

private:
  [[nodiscard]] Command command(std::vector<std::string> words, const Disabled &disabled,
                                std::optional<std::chrono::milliseconds> timeout) const;

  Disk &disk_;
  Processes &processes_;
  const Spec &spec_;
};

// What a KOPT_TIME file says about the kernels of a target. Several processes of one run add up.
[[nodiscard]] Result<std::map<std::string, KernelTime>> read_times(const Disk &disk, const fs::path &path,
                                                                   const std::string &target);

} // namespace kopt
