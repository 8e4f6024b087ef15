// kopt tune: every phase from extraction to acceptance, for the kernels of one or more targets, and the table that tells the
// outcome. Killed or interrupted at any point, the same command goes on where it was.
#include "core/hash.h"
#include "core/lock.h"
#include "core/model.h"
#include "kopt/preparation.h"
#include "kopt/verb.h"
#include "platform/platform.h"
#include "report/table.h"
#include "search/tuning.h"
#include "store/store.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace kopt {

namespace {

struct TuneRequest {
  std::vector<std::string> specs, kernels;
  std::map<std::string, std::string> flags;
  std::string replay; // a file with verdicts
  bool anew = false, as_json = false;
};

// A target of the command, locked against other searches while this lives: they would disturb each other's timing and write the
// same files.
struct TuneTarget {
  Spec spec;
  std::vector<std::string> kernels;
  Options options;
  Lock lock;
  Journal journal;
};

Result<fs::path> store_winner(Context &context, const Spec &spec, const Model &model, const Trial &winner,
                              const std::string &replay) {
  KOPT_TRY(platform, make_platform(model.platform, context.disk, context.processes));
  KOPT_TRY(environment, platform->environment(model.compile));
  environment["date"] = context.clock.utc();
  environment["kopt"] = KOPT_VERSION;
  if (!replay.empty()) environment["replayed_from"] = replay;
  return accept(context.disk, spec, model, winner.variant, winner.verdict, environment);
}

// A winner that cannot be stored is a failure, not a loss: the journal has it.
void accept_winner(Context &context, const Spec &spec, const std::string &replay, TuneOutcome &outcome) {
  if (!outcome.winner) return;
  const auto stored = store_winner(context, spec, *outcome.model, *outcome.winner, replay);
  if (stored) {
    outcome.summary = "faster, accepted (provisional)";
    return;
  }
  outcome.winner.reset();
  outcome.summary = "faster, but not stored";
  outcome.error = stored.error();
}

// All that can be wrong with the command is found before anything long begins.
Result<TuneTarget> open_target(Context &context, const std::string &path, const TuneRequest &request) {
  KOPT_TRY(spec, read_spec(context.disk, path));
  KOPT_TRY(kernels, chosen_kernels(spec, request.kernels));
  KOPT_TRY(options, options_of(context, spec, request.flags));
  KOPT_CHECK(check_writable(context.disk, spec));
  KOPT_TRY(lock, Lock::take(spec.work_dir / "tune.lock"));
  KOPT_CHECK(repair(context.disk, spec));
  KOPT_TRY(journal, Journal::open_or_replace(spec.work_dir / "journal.sqlite"));
  for (const std::string &note : journal.notes()) fmt::print(stderr, "kopt: warning: {}\n", note);
  return TuneTarget{std::move(spec), std::move(kernels), std::move(options), std::move(lock), std::move(journal)};
}

Result<std::vector<TuneTarget>> open_targets(Context &context, const TuneRequest &request) {
  std::vector<TuneTarget> targets;
  for (const std::string &path : request.specs) {
    KOPT_TRY(target, open_target(context, path, request));
    targets.push_back(std::move(target));
  }
  return targets;
}

std::vector<TuneOutcome> tune_target(Context &context, TuneTarget &target, const RecordedVerdicts *recorded,
                                     const TuneRequest &request) {
  const Spec &spec = target.spec;
  const std::map<std::string, Error> unready = prepare(context, spec, target.options, target.kernels, request.as_json);
  TuningGrounds grounds{target.journal, request.anew, recorded,
                        [&](const Model &model) { return refutations(context.disk, spec, model); }};
  Tuning tuning(Outside{context.disk, context.processes, context.clock, context.program, context.interruption}, spec,
                target.options, std::move(grounds));
  std::vector<TuneOutcome> outcomes;
  for (std::size_t k = 0; k < target.kernels.size(); ++k) {
    const std::string &kernel = target.kernels[k];
    if (const auto go_on = check_interruption(context.interruption); !go_on) break;
    const std::string title =
        target.kernels.size() > 1 ? fmt::format("{} ({} of {})", kernel, k + 1, target.kernels.size()) : kernel;
    const auto why = unready.find(kernel);
    outcomes.push_back(why == unready.end() ? tuning.tune(kernel, title) : not_tuned(kernel, why->second));
    accept_winner(context, spec, request.replay, outcomes.back());
  }
  return outcomes;
}

// Where nothing was accepted, what stood in the way.
void print_refusals(const TuneOutcome &outcome) {
  std::set<std::string> lines;
  for (const Refusal &refusal : outcome.refusals)
    lines.insert(fmt::format("  {}: {} ({}:{})", refusal.technique, refusal.reason, outcome.model ? outcome.model->file : "",
                             refusal.line));
  if (!lines.empty()) fmt::print("\n{} was left alone by\n{}\n", outcome.kernel, fmt::join(lines, "\n"));
}

void print_table(const std::vector<TuneOutcome> &outcomes) {
  Table table({"kernel", "baseline", "best", "speedup [99 % interval]", "rounding", "verdict", "why the others failed"});
  for (const TuneOutcome &outcome : outcomes)
    table.add({outcome.kernel, time_text(outcome.baseline_ns), time_text(outcome.best_ns), speedup_text(outcome.verdict),
               outcome.verdict.speedup > 0 ? rounding_text(outcome.verdict) : "-", outcome.summary, outcome.others});
  fmt::print("\n{}", table.text());
  for (const TuneOutcome &outcome : outcomes)
    if (const std::string cases = cases_text(outcome.verdict); !cases.empty()) fmt::print("\n{}: {}\n", outcome.kernel, cases);
  for (const TuneOutcome &outcome : outcomes)
    if (!outcome.winner) print_refusals(outcome);
}

Json refusals_json(const TuneOutcome &outcome) {
  Json refusals = Json::array();
  for (const Refusal &refusal : outcome.refusals)
    refusals.push_back({{"technique", refusal.technique}, {"reason", refusal.reason}, {"line", refusal.line}});
  return refusals;
}

void print_json(const std::vector<TuneOutcome> &outcomes) {
  Json document = Json::array();
  for (const TuneOutcome &outcome : outcomes)
    document.push_back({{"kernel", outcome.kernel},
                        {"accepted", outcome.winner.has_value()},
                        {"summary", outcome.summary},
                        {"others", outcome.others},
                        {"refusals", refusals_json(outcome)},
                        {"verdict", outcome.verdict}});
  fmt::print("{}\n", document.dump(2));
}

void print_outcomes(const TuneRequest &request, const std::vector<TuneOutcome> &outcomes) {
  if (request.as_json) return print_json(outcomes);
  print_table(outcomes);
  const auto accepted =
      std::count_if(outcomes.begin(), outcomes.end(), [](const TuneOutcome &outcome) { return outcome.winner.has_value(); });
  if (accepted > 0) fmt::print("\n{} of {} kernels accepted: build the application to use them.\n", accepted, outcomes.size());
}

Result<void> tune(Context &context, const TuneRequest &request) {
  std::optional<RecordedVerdicts> recorded;
  if (!request.replay.empty()) {
    KOPT_TRY(read, RecordedVerdicts::read(context.disk, request.replay));
    recorded = std::move(read);
  }
  KOPT_TRY(targets, open_targets(context, request));
  const SignalInterruption interruption;
  context.interruption = &interruption;
  std::vector<TuneOutcome> all;
  for (TuneTarget &target : targets) {
    auto outcomes = tune_target(context, target, recorded ? &*recorded : nullptr, request);
    std::move(outcomes.begin(), outcomes.end(), std::back_inserter(all));
  }
  context.interruption = nullptr;
  if (interruption.signal() != 0) {
    context.exit_code = exit_signal + interruption.signal();
    fmt::print(stderr, "kopt: interrupted: what was judged and accepted is kept; the same command goes on from here\n");
    return {};
  }
  for (const TuneOutcome &outcome : all)
    if (outcome.error) report_error(context, *outcome.error, exit_failed);
  print_outcomes(request, all);
  return {};
}

} // namespace

void add_tune(CLI::App &app, Context &context) {
  auto *verb = app.add_subcommand("tune", "Extract, capture, search, verify and accept");
  auto request = std::make_shared<TuneRequest>();
  verb->add_option("--spec", request->specs, "Target to tune: <build>/kopt/<target>/spec.json")->required();
  verb->add_option("--kernel", request->kernels, "Only these kernels");
  verb->add_option("--replay-verdicts", request->replay,
                   "Judge nothing: take verdicts from this journal, or this output of `kopt report --json`");
  verb->add_flag("--anew", request->anew, "Judge everything again, also what the journal knows");
  verb->add_flag("--json", request->as_json, "Print JSON instead of the table");
  for (const OptionInfo &info : option_table()) {
    std::string flag = "--" + info.name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    const std::string help = info.help + (info.default_value.empty() ? "" : " [" + info.default_value + "]");
    verb->add_option_function<std::string>(
            flag, [request, name = info.name](const std::string &value) { request->flags[name] = value; }, help)
        ->type_name(info.kind);
  }
  verb->callback([&context, request] {
    if (const auto done = tune(context, *request); !done) report_error(context, done.error());
  });
}

} // namespace kopt
