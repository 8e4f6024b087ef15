// kopt validate: what the accepted variants are worth inside their application, beside what the MEP promised.
#include "kopt/verb.h"
#include "report/table.h"
#include "store/validation.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace kopt {

namespace {

struct ValidateArguments {
  std::vector<std::string> specs, kernels;
  std::string pairs;
  bool as_json = false;
};

using Standing = KernelFinding::Standing;

const char *word_of(Standing standing) {
  switch (standing) {
  case Standing::Validated:
    return "validated";
  case Standing::RolledBack:
    return "rolled back";
  default:
    return "provisional";
  }
}

std::string interval_text(const Interval &interval) {
  if (interval.estimate <= 0) return "-";
  return fmt::format("{:.2f}x [{:.2f}, {:.2f}]", interval.estimate, interval.low, interval.high);
}

// Whether there was a variant to validate.
bool is_accepted(const KernelFinding &finding) { return finding.standing != Standing::Provisional || finding.mep_speedup > 0; }

std::string outcome_text(const KernelFinding &finding) {
  if (finding.unreadable) return "its record cannot be used: see the message below";
  const std::string word = is_accepted(finding) ? word_of(finding.standing) : "";
  if (word.empty() || finding.reason.empty()) return word + finding.reason;
  return word + ": " + finding.reason;
}

void print_table(const Spec &spec, const TargetFinding &found) {
  Table table({"kernel of " + spec.target, "in its MEP", "in the application", "calls", "outcome"});
  for (const KernelFinding &finding : found.kernels)
    table.add({finding.kernel, finding.mep_speedup > 0 ? fmt::format("{:.2f}x", finding.mep_speedup) : "-",
               interval_text(finding.speedup), finding.calls > 0 ? std::to_string(finding.calls) : "-", outcome_text(finding)});
  fmt::print("{}", table.text());
  if (found.pairs > 0)
    fmt::print("\nwhole run: {:.3f} s off, {:.3f} s on: {} ({} pairs)\n", found.off_seconds, found.on_seconds,
               interval_text(found.application), found.pairs);
  if (!found.output.empty()) fmt::print("output: {}\n", found.output);
}

Json json_of(const Interval &interval) {
  return {{"speedup", interval.estimate}, {"low", interval.low}, {"high", interval.high}, {"confidence", interval.confidence}};
}

Json json_of(const Spec &spec, const TargetFinding &found) {
  Json kernels = Json::array();
  for (const KernelFinding &finding : found.kernels)
    kernels.push_back({{"kernel", finding.kernel},
                       {"slug", finding.slug},
                       {"outcome", is_accepted(finding) ? word_of(finding.standing) : "nothing accepted"},
                       {"reason", finding.reason},
                       {"mep_speedup", finding.mep_speedup},
                       {"application", json_of(finding.speedup)},
                       {"calls", finding.calls},
                       {"variant_calls", finding.variant_calls}});
  return {{"target", spec.target},
          {"kernels", kernels},
          {"run", json_of(found.application)},
          {"off_seconds", found.off_seconds},
          {"on_seconds", found.on_seconds},
          {"pairs", found.pairs},
          {"output", found.output}};
}

Result<ValidationSettings> settings_of(const Context &context, const ValidateArguments &arguments, const Spec &spec) {
  std::map<std::string, std::string> flags;
  if (!arguments.pairs.empty()) flags["validate_pairs"] = arguments.pairs;
  KOPT_TRY(options, options_of(context, spec, flags));
  ValidationSettings settings;
  settings.pairs = static_cast<int>(std::max(1L, options.integer("validate_pairs")));
  if (!options.word("tolerance").empty()) settings.tolerance.relative = options.number("tolerance");
  settings.tolerance.absolute = options.number("tolerance_absolute");
  if (!arguments.as_json)
    settings.progress = [name = spec.target](const std::string &line) { fmt::print(stderr, "kopt: {}: {}\n", name, line); };
  return settings;
}

Result<void> validate_target(Context &context, const ValidateArguments &arguments, const std::string &path, Json &document) {
  KOPT_TRY(spec, read_spec(context.disk, path));
  KOPT_TRY(kernels, chosen_kernels(spec, arguments.kernels));
  KOPT_TRY(settings, settings_of(context, arguments, spec));
  KOPT_TRY(found, validate(context.disk, context.processes, context.clock, spec, kernels, settings));
  if (arguments.as_json)
    document.push_back(json_of(spec, found));
  else
    print_table(spec, found);
  for (const KernelFinding &finding : found.kernels)
    if (finding.unreadable) report_error(context, {finding.reason, finding.kernel, ""}, exit_failed);
  const auto rolled_back = [](const KernelFinding &finding) { return finding.standing == Standing::RolledBack; };
  if (std::none_of(found.kernels.begin(), found.kernels.end(), rolled_back)) return {};
  context.exit_code = exit_failed;
  if (!arguments.as_json) fmt::print("\nbuild the application again: what was rolled back is still in it\n");
  return {};
}

void run_validate(Context &context, const ValidateArguments &arguments) {
  Json document = Json::array();
  for (const std::string &path : arguments.specs)
    if (const auto done = validate_target(context, arguments, path, document); !done) report_error(context, done.error());
  if (arguments.as_json) fmt::print("{}\n", document.dump(2));
}

} // namespace

void add_validate(CLI::App &app, Context &context) {
  auto *verb = app.add_subcommand("validate", "Measure accepted variants inside the application; roll back what does not hold");
  auto arguments = std::make_shared<ValidateArguments>();
  verb->add_option("--spec", arguments->specs, "spec.json of a target; may be repeated")->required();
  verb->add_option("--kernel", arguments->kernels, "Only this kernel; may be repeated");
  verb->add_option("--validate-pairs", arguments->pairs, "Pairs of application runs (KOPT_VALIDATE_PAIRS)");
  verb->add_flag("--json", arguments->as_json, "Print JSON");
  verb->callback([&context, arguments] { run_validate(context, *arguments); });
}

} // namespace kopt
