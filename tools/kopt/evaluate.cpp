// kopt evaluate: judges a variant that a person wrote, in a kernel's MEP, as `kopt tune` would judge it.
#include "kopt/verb.h"
#include "mep/workload.h"
#include "report/table.h"
#include "search/mep_evaluator.h"

#include <fmt/format.h>

namespace kopt {

namespace {

struct EvaluateRequest {
  std::string spec, kernel, variant, plan;
  bool quick = false, as_json = false;
};

// A verdict, and what one must know to read it.
struct Evaluated {
  std::string kernel;
  Verdict verdict;
  std::string sandbox;
  std::vector<std::string> notes;
};

Result<Variant> variant_of(const Context &context, const EvaluateRequest &request) {
  Variant variant;
  variant.proposer = "user";
  variant.plan = "call kopt_variant\n";
  KOPT_TRY(text, context.disk.read(request.variant));
  variant.text = text;
  if (request.plan.empty()) return variant;
  KOPT_TRY(plan, context.disk.read(request.plan));
  KOPT_TRY(checked, Plan::parse(plan, request.plan)); // a wrong plan is the user's to correct, not a verdict
  variant.plan = checked.text();
  return variant;
}

Result<Evaluated> evaluate(Context &context, const EvaluateRequest &request) {
  KOPT_TRY(spec, read_spec(context.disk, request.spec));
  KOPT_CHECK(chosen_kernels(spec, {request.kernel}));
  KOPT_TRY(model, model_of(context, spec, request.kernel));
  KOPT_TRY(variant, variant_of(context, request));
  KOPT_TRY(options, options_of(context, spec));
  KOPT_TRY(cases, load_workload(context.disk, spec, model, static_cast<std::uint64_t>(options.integer("seed"))));
  const std::string why = why_no_sizes(model, cases);
  KOPT_TRY(evaluator, MepEvaluator::create({context.disk, context.processes, context.clock, context.program}, spec, model,
                                           std::move(cases), options));
  KOPT_TRY(verdict, evaluator->evaluate(variant, request.quick ? Thoroughness::Quick : Thoroughness::Full));
  auto notes = evaluator->notes();
  if (!why.empty()) notes.push_back("no held-out cases at other sizes: " + why);
  return Evaluated{model.name, verdict, evaluator->sandbox(), std::move(notes)};
}

void print_text(const Evaluated &evaluated) {
  const Verdict &verdict = evaluated.verdict;
  fmt::print("{}: {}", evaluated.kernel, to_string(verdict.kind));
  if (!verdict.reason.empty()) fmt::print(": {}", verdict.reason);
  if (verdict.speedup > 0) fmt::print("\nspeedup {} at {:.1f} % confidence", speedup_text(verdict), 100 * verdict.confidence);
  fmt::print("\n");
  if (!verdict.precision.empty()) fmt::print("rounding: it {}\n", rounding_text(verdict));
  if (!verdict.evidence.empty()) fmt::print("{}\n", verdict.evidence);
  if (!verdict.cases.empty()) {
    Table table({"case", "original", "variant", "speedup", "interval", "pairs"});
    for (const CaseTiming &timing : verdict.cases)
      table.add({timing.name, time_text(timing.baseline_ns), time_text(timing.variant_ns),
                 fmt::format("{:.2f}x", timing.speedup), fmt::format("{:.2f} to {:.2f}", timing.low, timing.high),
                 std::to_string(timing.pairs)});
    fmt::print("\n{}\n", table.text());
  }
  if (!verdict.tolerance_source.empty())
    fmt::print("largest error {:.2g}, allowed {:.2g} ({})\n", verdict.worst_error, verdict.relative_tolerance,
               verdict.tolerance_source);
  for (const std::string &note : evaluated.notes) fmt::print("note: {}\n", note);
  fmt::print("sandbox: {}\n", evaluated.sandbox);
}

void print_json(const Evaluated &evaluated) {
  fmt::print("{}\n", Json{{"kernel", evaluated.kernel},
                          {"verdict", evaluated.verdict},
                          {"sandbox", evaluated.sandbox},
                          {"notes", evaluated.notes}}
                         .dump(2));
}

// A variant that may not be used is a "no": incorrect, invalid or suspect. One that is merely not faster has been evaluated.
int exit_code_of(VerdictKind kind) {
  const bool refused = kind == VerdictKind::Incorrect || kind == VerdictKind::Invalid || kind == VerdictKind::Suspect;
  return refused ? exit_failed : exit_ok;
}

} // namespace

void add_evaluate(CLI::App &app, Context &context) {
  auto *verb = app.add_subcommand("evaluate", "Judge a variant that a person wrote");
  auto request = std::make_shared<EvaluateRequest>();
  verb->add_option("--spec", request->spec, "The kernel's target: <build>/kopt/<target>/spec.json")->required();
  verb->add_option("--kernel", request->kernel, "The kernel, as kopt_optimize_target() names it")->required();
  verb->add_option("--variant", request->variant, "The variant: a fragment of C++ with a function kopt_variant")->required();
  verb->add_option("--plan", request->plan, "Its guards; none if left out");
  verb->add_flag("--quick", request->quick, "A first impression: no held-out cases, few timings");
  verb->add_flag("--json", request->as_json, "Print JSON");
  verb->callback([&context, request] {
    const auto evaluated = evaluate(context, *request);
    if (!evaluated) return report_error(context, evaluated.error());
    request->as_json ? print_json(*evaluated) : print_text(*evaluated);
    context.exit_code = exit_code_of(evaluated->verdict.kind);
  });
}

} // namespace kopt
