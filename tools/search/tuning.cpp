#include "search/tuning.h"

#include "core/hash.h"
#include "mep/workload.h"
#include "propose/rules/rules.h"
#include "report/progress.h"
#include "search/journaled_evaluator.h"
#include "search/mep_evaluator.h"
#include "search/refuted_evaluator.h"

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

std::string bytes_hash(const Bytes &bytes) { return hash_of({reinterpret_cast<const char *>(bytes.data()), bytes.size()}); }

// Everything that verdicts depend on, `facts` of the machine and the refutations among it: with the same key an interrupted run
// may go on.
std::string run_key(const Model &model, const std::vector<Case> &cases, const Options &options,
                    const std::map<std::string, std::string> &facts, const std::vector<Refutation> &refuted) {
  std::string whole = model.closure.text + fmt::format("{}", fmt::join(model.compile.arguments, " "));
  for (const Case &kase : cases) {
    whole += kase.name;
    for (const Argument &argument : kase.arguments) whole += bytes_hash(argument.bytes);
    for (const Buffer &buffer : kase.buffers) whole += bytes_hash(buffer.before);
  }
  for (const OptionInfo &info : option_table()) whole += info.name + "=" + options.word(info.name) + "\n";
  for (const auto &[name, value] : facts) whole += name + "=" + value + "\n";
  for (const Refutation &refutation : refuted) whole += refutation.variant_hash + Json(refutation.parameters).dump();
  return hash_of(whole);
}

// Makes the judge when it is first needed: a search that only repeats what is known compiles and runs nothing.
class LazyEvaluator final : public Evaluator {
public:
  using Make = std::function<Result<std::unique_ptr<Evaluator>>()>;
  explicit LazyEvaluator(Make make) : make_(std::move(make)) {}
  Result<Verdict> evaluate(const Variant &variant, Thoroughness thoroughness) override {
    if (!evaluator_) {
      KOPT_TRY(made, make_());
      evaluator_ = std::move(made);
    }
    return evaluator_->evaluate(variant, thoroughness);
  }

private:
  Make make_;
  std::unique_ptr<Evaluator> evaluator_;
};

// Whether the model has a loop that can be worked on at all.
bool has_loop(const std::vector<Node> &nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const Node &node) {
    return node.kind == Node::Kind::Loop || has_loop(node.body) || has_loop(node.otherwise);
  });
}

const Node *first_opaque(const std::vector<Node> &nodes) {
  for (const Node &node : nodes) {
    if (node.kind == Node::Kind::Opaque) return &node;
    for (const auto *part : {&node.body, &node.otherwise})
      if (const Node *found = first_opaque(*part)) return found;
  }
  return nullptr;
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

std::string why_nothing(const Model &model, const std::vector<Refusal> &refusals) {
  if (!refusals.empty()) return fmt::format("{} (line {})", refusals.front().reason, refusals.front().line);
  if (const Node *opaque = first_opaque(model.body)) return fmt::format("{} (line {})", opaque->reason, opaque->line);
  if (!has_loop(model.body)) return "it has no loop to work on";
  return "its loops leave nothing to rearrange";
}

std::string why_the_others_failed(const SweepResult &result) {
  std::map<std::string, int> counts;
  std::map<std::string, std::string> reasons;
  const std::string accepted = result.accepted ? result.accepted->variant.hash() : "";
  for (const Trial &trial : result.trials) {
    if (trial.variant.hash() == accepted) continue;
    std::string kind = to_string(trial.verdict.kind);
    if (trial.verdict.kind == VerdictKind::Faster) kind = "less fast";
    const bool refuted = trial.verdict.reason.starts_with(RefutedEvaluator::label);
    if (refuted) kind = "refuted";
    ++counts[kind];
    if (refuted || trial.verdict.kind == VerdictKind::Incorrect || trial.verdict.kind == VerdictKind::Invalid ||
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

// One run of the journal: what it knows of an interrupted search is not judged again.
Result<SweepResult> Tuning::sweep(const Model &model, const std::vector<Proposal> &proposals, const std::string &title) {
  KOPT_TRY(cases, load_workload(outside_.disk, spec_, model, static_cast<std::uint64_t>(options_.integer("seed"))));
  const auto refuted = grounds_.refuted(model);
  std::map<std::string, std::string> facts{{"replay", grounds_.recorded ? grounds_.recorded->hash : ""}};
  if (!grounds_.recorded) {
    KOPT_TRY(platform, make_platform(model.platform, outside_.disk, outside_.processes));
    KOPT_TRY(environment, platform->environment(model.compile));
    facts.insert(environment.begin(), environment.end());
    facts["kopt"] = hash_of(outside_.disk.read(outside_.program).value_or("")); // another judge may judge otherwise
  }
  Journal &journal = grounds_.journal;
  const std::string date = outside_.clock.utc();
  KOPT_TRY(run, journal.start_run(model.name, run_key(model, cases, options_, facts, refuted), date, grounds_.anew));
  std::vector<Variant> planned;
  for (const Proposal &proposal : with_defaults(proposals)) planned.push_back(proposal.variant);
  KOPT_CHECK(journal.plan(run.id, planned, date));

  const double seconds = std::max(0.0, options_.number("budget_seconds") - journal.seconds(run.id));
  Budget budget(outside_.clock, seconds, options_.integer("budget_evaluations"));
  Progress progress(stderr, is_terminal(stderr), title, budget.evaluations_left());
  if (const auto why = why_no_sizes(model, cases); !why.empty())
    progress.line(fmt::format("{}: no held-out cases at other sizes: {}", title, why));
  if (const long known = journal.evaluations(run.id); known > 0)
    progress.line(
        fmt::format("{}: {} evaluations are known from the run of {} (--anew judges them again)", title, known, run.started));
  LazyEvaluator judge([&]() -> Result<std::unique_ptr<Evaluator>> {
    if (grounds_.recorded) return std::make_unique<RecordedEvaluator>(*grounds_.recorded);
    KOPT_TRY(made, MepEvaluator::create(outside_, spec_, model, cases, options_));
    for (const std::string &note : made->notes()) progress.line(fmt::format("{}: {}", title, note));
    return std::unique_ptr<Evaluator>(std::move(made));
  });
  RefutedEvaluator refuting(judge, refuted);
  JournaledEvaluator journaled(refuting, journal, run.id, outside_.clock, outside_.interruption);
  return Sweep(journaled, budget, [&](const Trial &trial) { progress.step(trial_text(trial)); }).run(proposals);
}

Result<TuneOutcome> Tuning::search(const std::string &kernel, const std::string &title) {
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
    outcome.others = why_nothing(model, proposals.refusals);
    return outcome;
  }
  KOPT_TRY(result, sweep(model, proposals.proposals, title));
  if (result.stopped) return tl::make_unexpected(*result.stopped);
  outcome.winner = result.accepted;
  outcome.others = why_the_others_failed(result);
  const Trial *best = result.accepted ? &*result.accepted : best_of(result.trials);
  outcome.summary = result.trials.empty() ? "nothing judged: no budget"
                    : best == nullptr     ? "no correct candidate"
                                          : to_string(best->verdict.kind);
  if (best != nullptr) describe_timing(best->verdict, outcome);
  return outcome;
}

TuneOutcome not_tuned(const std::string &kernel, Error error) {
  TuneOutcome failed;
  failed.kernel = kernel;
  failed.summary = "not tuned";
  failed.others = error.what;
  if (error.where.empty()) error.where = kernel;
  failed.error = std::move(error);
  return failed;
}

TuneOutcome Tuning::tune(const std::string &kernel, const std::string &title) {
  auto outcome = search(kernel, title);
  return outcome ? std::move(*outcome) : not_tuned(kernel, outcome.error());
}

} // namespace kopt
