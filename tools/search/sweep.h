// Sweep: the strategy that tries every proposal with its default parameters, explores the parameters of the best, and lets the
// best be judged in full.
#pragma once

#include "core/variant.h"
#include "core/verdict.h"
#include "propose/proposer.h"
#include "search/budget.h"
#include "search/evaluator.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

struct Trial {
  Variant variant;
  Verdict verdict;
  Thoroughness thoroughness = Thoroughness::Quick;
};

struct SweepResult {
  std::optional<Trial> accepted; // judged in full, verdict faster
  std::vector<Trial> trials;     // in the order they were judged
  std::optional<Error> stopped;  // judging failed, or was interrupted; what is above is what was known by then
};

// Proposals with every default spelled out, so that a setting has one identity, and each of them once.
[[nodiscard]] std::vector<Proposal> with_defaults(std::vector<Proposal> proposals);

class Sweep {
public:
  using Watch = std::function<void(const Trial &trial)>; // told of every verdict

  Sweep(Evaluator &evaluator, Budget &budget, Watch watch) : evaluator_(evaluator), budget_(budget), watch_(std::move(watch)) {}

  // The same proposals and verdicts give the same trials, however often the search was interrupted in between.
  [[nodiscard]] SweepResult run(const std::vector<Proposal> &proposals);

private:
  std::optional<Trial> judge(const Variant &variant, Thoroughness thoroughness, long reserve);
  std::optional<Trial> note(const Variant &variant, Thoroughness thoroughness, const Result<Verdict> &verdict);
  void screen(const std::vector<Proposal> &proposals);
  void explore(const Proposal &proposal);
  void decide();

  Evaluator &evaluator_;
  Budget &budget_;
  Watch watch_;
  SweepResult result_;
};

} // namespace kopt
