// Tuning: the search over one target's kernels, from a prepared MEP to the best variant. Accepting it is the store's job.
#pragma once

#include "core/clock.h"
#include "core/model.h"
#include "core/options.h"
#include "core/process.h"
#include "core/spec.h"
#include "propose/proposer.h"
#include "search/sweep.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kopt {

// Everything outside that a search touches.
struct Outside {
  Disk &disk;
  Processes &processes;
  Clock &clock;
  fs::path program; // kopt itself, for the judge's child processes
};

// What came of one kernel, and what the final table says about it.
struct TuneOutcome {
  std::string kernel;
  std::optional<Model> model;
  std::optional<Trial> winner; // judged in full, faster
  double baseline_ns = 0, best_ns = 0;
  Verdict verdict;               // of the best candidate; nothing timed: zero
  std::string summary;           // "faster", "nothing to propose", ...
  std::string others;            // "2 slower, 1 incorrect: ..."
  std::vector<Refusal> refusals; // what the proposer left alone, and which statement stopped it
  std::optional<Error> error;
};

class Tuning {
public:
  Tuning(Outside outside, const Spec &spec, const Options &options)
      : outside_(std::move(outside)), spec_(spec), options_(options) {}

  // Never fails as a whole: what goes wrong is in the outcome.
  [[nodiscard]] TuneOutcome tune(const std::string &kernel);

private:
  Result<TuneOutcome> search(const std::string &kernel);

  Outside outside_;
  const Spec &spec_;
  const Options &options_;
};

// "3 slower, 1 incorrect (next: wrong by 1e-3 at 17)": what became of the candidates that were not accepted.
[[nodiscard]] std::string why_the_others_failed(const SweepResult &result);

} // namespace kopt
