// Tuning: the search over one target's kernels, from a prepared MEP to the best variant. Accepting it is the store's job.
#pragma once

#include "core/clock.h"
#include "core/interruption.h"
#include "core/model.h"
#include "core/options.h"
#include "core/process.h"
#include "core/record.h"
#include "core/spec.h"
#include "propose/proposer.h"
#include "search/journal.h"
#include "search/recorded_evaluator.h"
#include "search/sweep.h"

#include <functional>
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
  const Interruption *interruption = nullptr;
};

// What a search belongs to, and what it goes by besides the model.
struct TuningGrounds {
  Journal &journal;
  bool anew = false;                          // judge what the journal knows again
  const RecordedVerdicts *recorded = nullptr; // instead of judging
  // What the application has refuted of a kernel, with its closure as it is now.
  std::function<std::vector<Refutation>(const Model &)> refuted = [](const Model &) { return std::vector<Refutation>(); };
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
  Tuning(Outside outside, const Spec &spec, const Options &options, TuningGrounds grounds)
      : outside_(std::move(outside)), spec_(spec), options_(options), grounds_(std::move(grounds)) {}

  // Never fails as a whole: what goes wrong is in the outcome. `title` is what progress calls the kernel.
  [[nodiscard]] TuneOutcome tune(const std::string &kernel, const std::string &title);

private:
  Result<TuneOutcome> search(const std::string &kernel, const std::string &title);
  Result<SweepResult> sweep(const Model &model, const std::vector<Proposal> &proposals, const std::string &title);

  Outside outside_;
  const Spec &spec_;
  const Options &options_;
  TuningGrounds grounds_;
};

// An outcome without a search, because of an error.
[[nodiscard]] TuneOutcome not_tuned(const std::string &kernel, Error error);

// Why a proposer found nothing to propose for this kernel, in a few words.
[[nodiscard]] std::string why_nothing(const Model &model, const std::vector<Refusal> &refusals);

// "3 slower, 1 incorrect (next: wrong by 1e-3 at 17)": what became of the candidates that were not accepted.
[[nodiscard]] std::string why_the_others_failed(const SweepResult &result);

} // namespace kopt
