#include "search/tuning.h"

#include "core/hash.h"
#include "mep/workload.h"
#include "propose/rules/rules.h"
#include "report/progress.h"
#include "search/journal.h"
#include "search/mep_evaluator.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace kopt {

namespace {

std::string parameters_text(const Variant &variant) {
  std::string text;
  for (const auto &[name, value] : variant.parameters) text += fmt::format(" {}={}", name, value);
  return text;
}

std::string trial_text(const Trial &trial) {
  const Verdict &verdict = trial.verdict;
  const std::string speedup = verdict.speedup > 0 ? fmt::format(" {:.2f}x", verdict.speedup) : "";
  const std::string reason = verdict.reason.empty() ? "" : " (" + verdict.reason + ")";
  return fmt::format("{}{}: {}{}{}{}", fmt::join(trial.variant.patterns, "+"), parameters_text(trial.variant),
                     to_string(verdict.kind), speedup, trial.thoroughness == Thoroughness::Full ? ", judged in full" : "",
                     reason);
}

// Everything that verdicts depend on: with the same key an interrupted run may go on.
std::string run_key(const Model &model, const std::vector<Case> &cases, const Options &options) {
  std::string whole = model.closure.text + fmt::format("{}", fmt::join(model.compile.arguments, " "));
  for (const Case &kase : cases) {
    whole += kase.name;
    for (const Argument &argument : kase.arguments) whole.append(argument.bytes.begin(), argument.bytes.end());
    for (const Buffer &buffer : kase.buffers)
      whole += hash_of({reinterpret_cast<const char *>(buffer.before.data()), buffer.before.size()});
  }
  for (const OptionInfo &info : option_table()) whole += info.name + "=" + options.word(info.name) + "\n";
  return hash_of(whole);
}

// The candidate that the table shows when nothing was accepted: the fastest that is right.
const Trial *best_of(const std::vector<Trial> &trials) {
  const Trial *best = nullptr;
  for (const Trial &trial : trials) {
    const VerdictKind kind = trial.verdict.kind;
    if (kind == VerdictKind::Incorrect || kind == VerdictKind::Invalid || kind == VerdictKind::Suspect) continue;
    // A full judgement says more than any quick one.
    const auto rank = [](const Trial *t) { return std::pair(t->thoroughness == Thoroughness::Full, t->verdict.speedup); };
    if (best == nullptr || rank(&trial) > rank(best)) best = &trial;
  }
  return best;
}

void describe_timing(const Verdict &verdict, TuneOutcome &outcome) {
  outcome.verdict = verdict;
  if (verdict.cases.empty()) return;
  const auto &heaviest = *std::max_element(verdict.cases.begin(), verdict.cases.end(),
                                           [](const CaseTiming &a, const CaseTiming &b) { return a.weight < b.weight; });
  outcome.baseline_ns = heaviest.baseline_ns;
  outcome.best_ns = heaviest.variant_ns;
}

} // namespace

std::string why_the_others_failed(const SweepResult &result) {
  std::map<std::string, int> counts;
  std::map<std::string, std::string> reasons;
  const std::string accepted = result.accepted ? result.accepted->variant.hash() : "";
  for (const Trial &trial : result.trials) {
    if (trial.variant.hash() == accepted) continue;
    std::string kind = to_string(trial.verdict.kind);
    if (trial.verdict.kind == VerdictKind::Faster) kind = "less fast";
    ++counts[kind];
    if (trial.verdict.kind == VerdictKind::Incorrect || trial.verdict.kind == VerdictKind::Invalid ||
        trial.verdict.kind == VerdictKind::Suspect)
      reasons.try_emplace(kind, trial.verdict.reason);
  }
  std::string text;
  for (const auto &[kind, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
    if (const auto reason = reasons.find(kind); reason != reasons.end() && !reason->second.empty())
      text += " (" + reason->second + ")";
  }
  return text.empty() ? "-" : text;
}

Result<TuneOutcome> Tuning::search(const std::string &kernel) {
  TuneOutcome outcome;
  outcome.kernel = kernel;
  const fs::path mep = spec_.mep_dir(spec_.slug_of(kernel));
  KOPT_TRY(model, read_model(outside_.disk, mep / "model.json"));
  outcome.model = model;
  if (!model.compile.optimizes)
    fmt::print(stderr,
               "kopt: warning: {}: target {} is compiled without optimization ({}); speedups over it mean little: set "
               "CMAKE_BUILD_TYPE=Release\n",
               kernel, spec_.target, fmt::join(model.compile.arguments, " "));
  Rules rules;
  KOPT_TRY(proposals, rules.propose(model, 0));
  outcome.refusals = proposals.refusals;
  if (proposals.proposals.empty()) {
    outcome.summary = "nothing to propose";
    outcome.others = "-";
    return outcome;
  }
  KOPT_TRY(cases, load_workload(outside_.disk, spec_, model));
  KOPT_TRY(evaluator, MepEvaluator::create(outside_, spec_, model, cases, options_));
  KOPT_TRY(journal, Journal::open(spec_.work_dir / "journal.sqlite"));
  const std::string date = outside_.clock.utc();
  KOPT_TRY(run, journal.start_run(kernel, run_key(model, cases, options_), date));

  Budget budget(outside_.clock, options_.number("budget_seconds"), options_.integer("budget_evaluations"));
  JournaledEvaluator journaled(*evaluator, journal, run, date);
  SweepResult result;
  {
    Progress progress(stderr, is_terminal(stderr), kernel, budget.evaluations_left());
    if (const auto why = why_no_sizes(model, cases); !why.empty())
      progress.line(fmt::format("{}: no held-out cases at other sizes: {}", kernel, why));
    for (const std::string &note : evaluator->notes()) progress.line(fmt::format("{}: {}", kernel, note));
    result = Sweep(journaled, budget, [&](const Trial &trial) { progress.step(trial_text(trial)); }).run(proposals.proposals);
  }
  if (journaled.trouble()) return tl::make_unexpected(*journaled.trouble());
  KOPT_CHECK(journal.finish_run(run));

  outcome.winner = result.accepted;
  outcome.others = why_the_others_failed(result);
  const Trial *best = result.accepted ? &*result.accepted : best_of(result.trials);
  outcome.summary = result.trials.empty() ? "nothing judged: no budget"
                    : best == nullptr     ? "no correct candidate"
                                          : to_string(best->verdict.kind);
  if (best != nullptr) describe_timing(best->verdict, outcome);
  return outcome;
}

TuneOutcome Tuning::tune(const std::string &kernel) {
  auto outcome = search(kernel);
  if (outcome) return std::move(*outcome);
  TuneOutcome failed;
  failed.kernel = kernel;
  failed.error = outcome.error();
  if (failed.error->where.empty()) failed.error->where = kernel;
  failed.summary = "not tuned";
  failed.others = outcome.error().what;
  return failed;
}

} // namespace kopt
