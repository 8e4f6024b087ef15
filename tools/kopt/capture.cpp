// kopt capture: runs the instrumented copy of the application once and makes cases of what it recorded.
#include "mep/capture.h"

#include "kopt/verb.h"
#include "report/table.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

struct CaptureArguments {
  std::vector<std::string> specs, kernels;
  std::string limit, calls;
  long timeout = 3600;
  bool as_json = false, keep = false;
};

struct Tally {
  int captured = 0;                      // kernels with cases
  std::map<std::string, Error> problems; // why others have none
};

Json json_of(const KernelCapture &capture) {
  Json cases = Json::array();
  for (const auto &kase : capture.cases)
    cases.push_back({{"name", kase.name},
                     {"call", kase.call},
                     {"held_out", kase.held_out},
                     {"bytes", kase.bytes},
                     {"weight", kase.weight}});
  return {{"kernel", capture.kernel}, {"slug", capture.slug}, {"calls", capture.calls},       {"exact", capture.exact},
          {"groups", capture.groups}, {"cases", cases},       {"warnings", capture.warnings}, {"problem", capture.problem}};
}

void print(const KernelCapture &capture) {
  for (const auto &warning : capture.warnings) fmt::print(stderr, "kopt: warning: {}: {}\n", capture.kernel, warning);
  if (capture.cases.empty()) return;
  std::size_t bytes = 0;
  double share = 0;
  std::string names;
  for (const auto &kase : capture.cases) {
    bytes += kase.bytes;
    share += kase.held_out ? 0 : kase.weight;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", kase.name,
                         kase.held_out ? "held out" : fmt::format("{:.3g} % of its time", 100 * kase.weight));
  }
  fmt::print("{:28} {}{} calls in {} groups, {} cases that stand for {:.3g} % of its time, {}: {}\n", capture.kernel,
             capture.exact ? "" : "at least ", capture.calls, std::max(capture.groups, 1L), capture.cases.size(),
             std::min(100 * share, 100.0), size_text(bytes), names);
}

// Why no source of the target can hold a probe of this kernel; empty where one can.
std::string unreachable(const Spec &spec, const Model &model) {
  for (const std::string &source : model.sources)
    if (std::find(spec.sources.begin(), spec.sources.end(), source) != spec.sources.end()) return {};
  return fmt::format("it is defined in {}, which is no source of the target, so it has no probe; give it CASES",
                     model.anchor.file);
}

Result<KernelCapture> convert(Context &context, const Spec &spec, const CaptureRun &run, const std::string &kernel) {
  const auto folder = spec.mep_dir(spec.slug_of(kernel));
  KOPT_TRY(model, model_of(context, spec, kernel));
  KOPT_TRY(capture, convert_recordings(context.disk, run.recordings, model, folder / "cases"));
  if (capture.cases.empty() && capture.calls == 0 && capture.warnings.empty()) {
    if (auto why = unreachable(spec, model); !why.empty()) capture.problem = why;
  }
  if (const auto told = run.told.find(model.slug); told != run.told.end()) {
    if (capture.cases.empty()) capture.problem = told->second;
    if (std::find(capture.warnings.begin(), capture.warnings.end(), told->second) == capture.warnings.end() &&
        !capture.cases.empty())
      capture.warnings.push_back(told->second);
  }
  return capture;
}

Result<Json> capture(Context &context, const CaptureArguments &arguments, const std::string &spec_path, Tally &tally) {
  KOPT_TRY(spec, read_spec(context.disk, spec_path));
  KOPT_TRY(kernels, chosen_kernels(spec, arguments.kernels));
  CaptureOptions options;
  if (arguments.timeout > 0) options.timeout = std::chrono::seconds(arguments.timeout);
  options.sanitizer_options = context.environment("ASAN_OPTIONS").value_or("");
  std::map<std::string, std::string> flags;
  if (!arguments.limit.empty()) flags["capture_limit_mb"] = arguments.limit;
  if (!arguments.calls.empty()) flags["capture_calls"] = arguments.calls;
  KOPT_TRY(settings, options_of(context, spec, flags));
  options.limit_bytes = static_cast<unsigned long long>(settings.integer("capture_limit_mb")) << 20;
  options.most_groups = std::max(1L, settings.integer("capture_calls"));
  KOPT_TRY(run, run_capture(context.disk, context.processes, spec, options));
  for (const auto &warning : run.warnings) fmt::print(stderr, "kopt: warning: {}: {}\n", spec.target, warning);
  Json document = Json::array();
  for (const auto &kernel : kernels) {
    auto result = convert(context, spec, run, kernel);
    if (!result) {
      tally.problems.emplace(kernel, Error{"no case: " + result.error().message(), kernel, ""});
      continue;
    }
    if (!arguments.as_json) print(*result);
    if (result->cases.empty())
      tally.problems.emplace(kernel, Error{"no case: " + result->problem, kernel, ""});
    else
      ++tally.captured;
    document.push_back(json_of(*result));
  }
  if (arguments.keep) return document;
  KOPT_CHECK(remove_recordings(context.disk, run.recordings));
  return document;
}

void capture_all(Context &context, const CaptureArguments &arguments) {
  Json document = Json::array();
  Tally tally;
  for (const auto &spec : arguments.specs) {
    auto part = capture(context, arguments, spec, tally);
    if (!part) return report_error(context, part.error());
    for (auto &entry : *part) document.push_back(std::move(entry));
  }
  if (arguments.as_json) fmt::print("{}\n", document.dump(2));
  // One kernel without cases must not keep those that have some from going on.
  for (const auto &[kernel, problem] : tally.problems)
    fmt::print(stderr, "kopt: {}: {}\n", tally.captured == 0 ? "error" : "warning", problem.message());
  if (tally.captured == 0) context.exit_code = exit_failed;
}

} // namespace

Result<std::map<std::string, Error>> capture_kernels(Context &context, const Spec &spec,
                                                     const std::vector<std::string> &kernels, const Options &options,
                                                     bool quiet) {
  CaptureArguments arguments;
  arguments.as_json = quiet;
  arguments.kernels = kernels;
  arguments.limit = options.word("capture_limit_mb");
  arguments.calls = options.word("capture_calls");
  Tally tally;
  KOPT_CHECK(capture(context, arguments, spec.path.string(), tally));
  return tally.problems;
}

void add_capture(CLI::App &app, Context &context) {
  auto *verb = app.add_subcommand("capture", "Run the application once and record calls of its kernels as cases");
  auto arguments = std::make_shared<CaptureArguments>();
  verb->add_option("--spec", arguments->specs, "What CMake knows about a target; may be repeated")->required();
  verb->add_option("--kernel", arguments->kernels, "Only this kernel; may be repeated");
  verb->add_option("--timeout", arguments->timeout, "Seconds after which the application is stopped, 0: never")
      ->capture_default_str();
  verb->add_option("--capture-limit-mb", arguments->limit, "Largest capture of one call (KOPT_CAPTURE_LIMIT_MB)");
  verb->add_option("--capture-calls", arguments->calls, "Kinds of calls captured of each kernel (KOPT_CAPTURE_CALLS)");
  verb->add_flag("--keep-recordings", arguments->keep, "Keep the raw recordings in <work_dir>/recordings");
  verb->add_flag("--json", arguments->as_json, "Print JSON");
  verb->callback([&context, arguments] { capture_all(context, *arguments); });
}

} // namespace kopt
