// kopt gate: one check of one kernel, as CTest runs it. Exit code 0: it passes, 1: it fails, 77: there is nothing to check.
#include "store/gate.h"
#include "kopt/verb.h"
#include "mep/workload.h"
#include "search/mep_evaluator.h"

#include <fmt/format.h>
#include <memory>

namespace kopt {

namespace {

struct GateArguments {
  std::string spec, kernel;
  bool as_json = false;
};

// The judge in the kernel's MEP.
Result<std::unique_ptr<Evaluator>> make_judge(Context &context, const Spec &spec, const Model &model) {
  KOPT_TRY(options, options_of(context, spec));
  KOPT_TRY(cases, load_workload(context.disk, spec, model));
  KOPT_TRY(evaluator, MepEvaluator::create({context.disk, context.processes, context.clock, context.program}, spec, model,
                                           std::move(cases), options));
  return std::unique_ptr<Evaluator>(std::move(evaluator));
}

GateAnswer answer(Context &context, const std::string &check, const Spec &spec, const std::string &kernel,
                  const GateSettings &settings) {
  Gate gate(context.disk, context.processes, spec, kernel, settings);
  const auto judge = [&](const Model &model) { return make_judge(context, spec, model); };
  if (check == "fresh") return gate.fresh();
  if (check == "build") return gate.build();
  if (check == "correct") return gate.correct(judge);
  if (check == "faster") return gate.faster(judge);
  return gate.app();
}

// KOPT_REQUIRE=1 makes a skip a failure: for machines on which everything is known to be there. KOPT_REQUIRE_GPU is for
// platforms with a device, which `host` is not.
int exit_code_of(const Context &context, GateOutcome outcome) {
  if (outcome == GateOutcome::Pass) return exit_ok;
  if (outcome == GateOutcome::Fail) return exit_failed;
  return context.environment("KOPT_REQUIRE").value_or("") == "1" ? exit_failed : exit_skipped;
}

Result<void> run_gate(Context &context, const std::string &check, const GateArguments &arguments) {
  KOPT_TRY(spec, read_spec(context.disk, arguments.spec));
  KOPT_CHECK(chosen_kernels(spec, {arguments.kernel}));
  KOPT_TRY(options, options_of(context, spec));
  GateSettings settings;
  settings.required = options.boolean("required");
  if (!options.word("tolerance").empty()) settings.tolerance.relative = options.number("tolerance");
  settings.tolerance.absolute = options.number("tolerance_absolute");
  const auto given = answer(context, check, spec, arguments.kernel, settings);
  static constexpr const char *words[] = {"passed", "FAILED", "skipped"};
  const char *word = words[static_cast<int>(given.outcome)];
  if (arguments.as_json)
    fmt::print("{}\n", Json{{"check", check}, {"kernel", arguments.kernel}, {"outcome", word}, {"text", given.text}}.dump(2));
  else
    fmt::print("{} of {}: {}: {}\n", check, arguments.kernel, word, given.text);
  context.exit_code = exit_code_of(context, given.outcome);
  return {};
}

} // namespace

void add_gate(CLI::App &app, Context &context) {
  auto *verb = app.add_subcommand("gate", "Check an accepted variant: fresh, build, correct, faster or app");
  verb->require_subcommand(1);
  const std::vector<std::pair<const char *, const char *>> checks = {
      {"fresh", "The variant still belongs to the sources as they are"},
      {"build", "It compiles with the application's flags"},
      {"correct", "It computes what the original does"},
      {"faster", "It is faster than the original"},
      {"app", "The application prints the same with variants on and off"}};
  for (const auto &[name, help] : checks) {
    auto *check = verb->add_subcommand(name, help);
    auto arguments = std::make_shared<GateArguments>();
    check->add_option("--spec", arguments->spec, "spec.json of the target")->required();
    check->add_option("--kernel", arguments->kernel, "The kernel")->required();
    check->add_flag("--json", arguments->as_json, "Print JSON");
    check->callback([&context, arguments, word = std::string(name)] {
      if (const auto done = run_gate(context, word, *arguments); !done) report_error(context, done.error());
    });
  }
}

} // namespace kopt
