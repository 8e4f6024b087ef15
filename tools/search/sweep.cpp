#include "search/sweep.h"

#include <algorithm>
#include <set>

namespace kopt {

namespace {

constexpr long finalists = 3;       // candidates that may be judged in full; evaluations kept back for them
constexpr std::size_t explored = 3; // proposals whose parameters are explored

// A candidate that is worth more time: it is right, and it is not clearly slower.
bool promising(const Trial &trial) {
  const VerdictKind kind = trial.verdict.kind;
  return kind == VerdictKind::Faster || (kind == VerdictKind::Inconclusive && trial.verdict.speedup > 1);
}

bool better(const Trial *a, const Trial *b) { return a->verdict.speedup > b->verdict.speedup; }

std::vector<const Trial *> ranked(const std::vector<Trial> &trials) {
  std::vector<const Trial *> best;
  for (const Trial &trial : trials)
    if (trial.thoroughness == Thoroughness::Quick && promising(trial)) best.push_back(&trial);
  std::stable_sort(best.begin(), best.end(), better);
  return best;
}

} // namespace

std::vector<Proposal> with_defaults(std::vector<Proposal> proposals) {
  for (Proposal &proposal : proposals)
    for (const ParameterRange &range : proposal.tunables)
      proposal.variant.parameters.try_emplace(range.macro, range.values.front());
  std::set<std::string> seen;
  std::erase_if(proposals, [&](const Proposal &proposal) { return !seen.insert(proposal.variant.hash()).second; });
  return proposals;
}

// What an interrupted search knew already costs an evaluation, as it did then, but needs no time.
std::optional<Trial> Sweep::judge(const Variant &variant, Thoroughness thoroughness, long reserve) {
  if (result_.stopped || budget_.evaluations_left() <= reserve) return std::nullopt;
  const auto known = evaluator_.known(variant, thoroughness);
  if (known && *known) return note(variant, thoroughness, **known);
  if (budget_.spent()) return std::nullopt;
  return note(variant, thoroughness, evaluator_.evaluate(variant, thoroughness));
}

std::optional<Trial> Sweep::note(const Variant &variant, Thoroughness thoroughness, const Result<Verdict> &verdict) {
  if (!verdict) {
    result_.stopped = verdict.error();
    return std::nullopt;
  }
  budget_.spend();
  Trial trial{variant, *verdict, thoroughness};
  result_.trials.push_back(trial);
  watch_(trial);
  return trial;
}

void Sweep::screen(const std::vector<Proposal> &proposals) {
  // With a small budget it is better to judge few in full than many not at all.
  const long reserve = std::min(finalists, budget_.evaluations_left() / 2);
  for (const Proposal &proposal : proposals) judge(proposal.variant, Thoroughness::Quick, reserve);
}

// One parameter at a time from the best setting so far, until a whole turn brings nothing.
void Sweep::explore(const Proposal &proposal) {
  const auto speed = [&](const Variant &variant) {
    const auto trial = judge(variant, Thoroughness::Quick, finalists);
    return trial && promising(*trial) ? trial->verdict.speedup : 0.0;
  };
  const auto known = std::find_if(result_.trials.begin(), result_.trials.end(),
                                  [&](const Trial &trial) { return trial.variant.hash() == proposal.variant.hash(); });
  Variant best = proposal.variant;
  double best_speed = known == result_.trials.end() ? 0.0 : known->verdict.speedup;
  std::set<std::string> tried = {best.hash()};
  for (bool improved = true; improved;) {
    improved = false;
    for (const ParameterRange &range : proposal.tunables)
      for (const std::string &value : range.values) {
        Variant variant = best;
        variant.parameters[range.macro] = value;
        if (!tried.insert(variant.hash()).second) continue;
        const double found = speed(variant);
        if (found <= best_speed * 1.01) continue; // noise is not an improvement
        best = variant;
        best_speed = found;
        improved = true;
      }
  }
}

void Sweep::decide() {
  std::vector<Trial> candidates;
  for (const Trial *trial : ranked(result_.trials)) candidates.push_back(*trial);
  for (std::size_t i = 0; i < candidates.size() && i < static_cast<std::size_t>(finalists); ++i) {
    // The final judgement is what the time was for: it is made even when the seconds are up.
    const Variant &variant = candidates[i].variant;
    const auto trial = note(variant, Thoroughness::Full, evaluator_.evaluate(variant, Thoroughness::Full));
    if (!trial) return;
    if (trial->verdict.kind != VerdictKind::Faster) continue;
    result_.accepted = trial;
    return;
  }
}

SweepResult Sweep::run(const std::vector<Proposal> &given) {
  result_ = {};
  const std::vector<Proposal> proposals = with_defaults(given);
  screen(proposals);
  std::vector<const Proposal *> tunable;
  for (const Trial *trial : ranked(result_.trials))
    for (const Proposal &proposal : proposals)
      if (!proposal.tunables.empty() && proposal.variant.hash() == trial->variant.hash()) tunable.push_back(&proposal);
  for (std::size_t i = 0; i < tunable.size() && i < explored; ++i) explore(*tunable[i]);
  if (!result_.stopped) decide();
  return result_;
}

} // namespace kopt
