// kopt tune: every phase from extraction to acceptance, for the kernels of one or more targets, and the table that tells the
// outcome.
#include "core/case.h"
#include "core/hash.h"
#include "core/lock.h"
#include "core/model.h"
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
  bool as_json = false;
};

// One phase before the search, as the program it is: its messages reach the user unchanged.
bool run_phase(Context &context, const std::string &verb, const std::string &spec, const std::vector<std::string> &kernels,
               const std::vector<std::string> &more = {}) {
  Command command{{context.program.string(), verb, "--spec", spec}, "", {}, {}, {}, true};
  for (const std::string &kernel : kernels) command.words.insert(command.words.end(), {"--kernel", kernel});
  command.words.insert(command.words.end(), more.begin(), more.end());
  const auto outcome = context.processes.run(command);
  if (!outcome) report_error(context, outcome.error());
  return outcome && outcome->succeeded();
}

// Cases of the user, or a capture made from the closure as it is now.
bool has_cases(const Context &context, const Spec &spec, const std::string &slug) {
  if (!spec.cases.empty()) return true;
  const auto model = read_model(context.disk, spec.mep_dir(slug) / "model.json");
  const auto document = read_document(context.disk, spec.mep_dir(slug) / "cases/cases.json", "kopt-cases", cases_version);
  return model && document && document->value("closure", "") == hash_of(model->closure.text);
}

// Extraction, capture where there are no cases, MEPs. Returns the kernels that are ready to be searched; what is wrong with the
// others has been said.
std::set<std::string> prepare(Context &context, const Spec &spec, const Options &options,
                              const std::vector<std::string> &kernels) {
  const std::string path = spec.path.string();
  std::vector<std::string> extracted, without_cases;
  (void)run_phase(context, "extract", path, kernels);
  for (const std::string &kernel : kernels) {
    if (!context.disk.exists(spec.mep_dir(spec.slug_of(kernel)) / "model.json")) continue;
    extracted.push_back(kernel);
    if (!has_cases(context, spec, spec.slug_of(kernel))) without_cases.push_back(kernel);
  }
  if (!without_cases.empty())
    (void)run_phase(context, "capture", path, without_cases,
                    {"--capture-limit-mb", options.word("capture_limit_mb"), "--capture-calls", options.word("capture_calls")});
  std::set<std::string> ready;
  for (const std::string &kernel : extracted)
    if (has_cases(context, spec, spec.slug_of(kernel)) && run_phase(context, "mep", path, {kernel})) ready.insert(kernel);
  if (ready.size() < kernels.size()) context.exit_code = exit_failed;
  return ready;
}

TuneOutcome not_prepared(const std::string &kernel) {
  TuneOutcome outcome;
  outcome.kernel = kernel;
  outcome.summary = "not tuned";
  outcome.others = "could not be prepared: see the message above";
  return outcome;
}

Result<fs::path> store_winner(Context &context, const Spec &spec, const Model &model, const Trial &winner) {
  KOPT_TRY(platform, make_platform(model.platform, context.disk, context.processes));
  KOPT_TRY(environment, platform->environment(model.compile));
  environment["date"] = context.clock.utc();
  environment["kopt"] = KOPT_VERSION;
  return accept(context.disk, spec, model, winner.variant, winner.verdict, environment);
}

// A winner that cannot be stored is a failure, not a loss: the journal has it.
void accept_winner(Context &context, const Spec &spec, TuneOutcome &outcome) {
  if (!outcome.winner) return;
  const auto stored = store_winner(context, spec, *outcome.model, *outcome.winner);
  if (stored) {
    outcome.summary = "faster, accepted (provisional)";
    return;
  }
  outcome.winner.reset();
  outcome.summary = "faster, but not stored";
  outcome.error = stored.error();
}

Result<std::vector<TuneOutcome>> tune_target(Context &context, const std::string &path, const TuneRequest &request) {
  KOPT_TRY(spec, read_spec(context.disk, path));
  KOPT_TRY(kernels, chosen_kernels(spec, request.kernels));
  KOPT_TRY(options, options_of(context, spec, request.flags));
  KOPT_CHECK(check_writable(context.disk, spec));
  // Two searches would disturb each other's timing and write the same files.
  KOPT_TRY(lock, Lock::take(spec.work_dir / "tune.lock"));
  const std::set<std::string> ready = prepare(context, spec, options, kernels);
  Tuning tuning(Outside{context.disk, context.processes, context.clock, context.program}, spec, options);
  std::vector<TuneOutcome> outcomes;
  for (const std::string &kernel : kernels) {
    outcomes.push_back(ready.contains(kernel) ? tuning.tune(kernel) : not_prepared(kernel));
    accept_winner(context, spec, outcomes.back());
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

void tune(Context &context, const TuneRequest &request) {
  std::vector<TuneOutcome> all;
  for (const std::string &path : request.specs) {
    auto outcomes = tune_target(context, path, request);
    if (!outcomes) return report_error(context, outcomes.error());
    all.insert(all.end(), outcomes->begin(), outcomes->end());
  }
  for (const TuneOutcome &outcome : all)
    if (outcome.error) report_error(context, *outcome.error, exit_failed);
  request.as_json ? print_json(all) : print_table(all);
  const auto accepted =
      std::count_if(all.begin(), all.end(), [](const TuneOutcome &outcome) { return outcome.winner.has_value(); });
  if (!request.as_json && accepted > 0)
    fmt::print("\n{} of {} kernels accepted: build the application to use them.\n", accepted, all.size());
}

} // namespace

void add_tune(CLI::App &app, Context &context) {
  auto *verb = app.add_subcommand("tune", "Extract, capture, search, verify and accept");
  auto request = std::make_shared<TuneRequest>();
  verb->add_option("--spec", request->specs, "Target to tune: <build>/kopt/<target>/spec.json")->required();
  verb->add_option("--kernel", request->kernels, "Only these kernels");
  verb->add_flag("--json", request->as_json, "Print JSON instead of the table");
  for (const OptionInfo &info : option_table()) {
    std::string flag = "--" + info.name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    const std::string help = info.help + (info.default_value.empty() ? "" : " [" + info.default_value + "]");
    verb->add_option_function<std::string>(
            flag, [request, name = info.name](const std::string &value) { request->flags[name] = value; }, help)
        ->type_name(info.kind);
  }
  verb->callback([&context, request] { tune(context, *request); });
}

} // namespace kopt
