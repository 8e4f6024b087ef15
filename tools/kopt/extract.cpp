// kopt extract: has kopt-source, the program that knows C++, write the models of a spec's kernels.
#include "core/spec.h"
#include "kopt/verb.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace kopt {
namespace {

struct Request {
  std::vector<std::string> specs, kernels;
  std::string depfile, output;
  bool as_json = false;
};

bool is_program(const Disk &disk, const fs::path &path) { return !path.empty() && disk.exists(path); }

std::optional<fs::path> in_path(const Context &context, const std::string &name) {
  const std::string path = context.environment("PATH").value_or("");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path program = fs::path(path.substr(begin, end - begin)) / name;
    if (end > begin && is_program(context.disk, program)) return program;
    begin = end + 1;
  }
  return std::nullopt;
}

// The spec's kopt-source, the one beside kopt, or the one in PATH.
Result<fs::path> find_kopt_source(const Context &context, const Spec &spec) {
  for (const fs::path &path : {fs::path(spec.kopt_source), context.program.parent_path() / "kopt-source"})
    if (is_program(context.disk, path)) return path;
  if (auto found = in_path(context, "kopt-source")) return *found;
  return fail("kopt-source, which reads C++ for kopt, is not there: not in the spec, not beside kopt, not in PATH", spec.target,
              "apt-get install libclang-22-dev llvm-22-dev and build KernelOpt with -DKOPT_BUILD_SOURCE=ON");
}

Result<Outcome> run_kopt_source(Context &context, const Spec &spec, const std::vector<std::string> &kernels) {
  KOPT_TRY(program, find_kopt_source(context, spec));
  Command command;
  command.words = {program.string(), "extract", "--quiet", "--spec", spec.path.string()};
  for (const std::string &kernel : kernels) command.words.insert(command.words.end(), {"--kernel", kernel});
  command.pass_output = true; // its messages are for the user, and complete
  return context.processes.run(command);
}

// Where the extraction of all kernels together ended by a signal: each alone, so that one does not stop the others.
Result<void> extract_one_by_one(Context &context, const Spec &spec, const std::vector<std::string> &kernels) {
  for (const std::string &kernel : kernels) {
    KOPT_TRY(outcome, run_kopt_source(context, spec, {kernel}));
    if (outcome.signal == 0) continue;
    ExtractionResult crashed;
    crashed.kernel = kernel;
    crashed.error = Error{fmt::format("kopt-source was ended by signal {}", outcome.signal), kernel,
                          "report this with the kernel's source"};
    KOPT_CHECK(write_extraction(context.disk, spec, crashed));
  }
  return {};
}

Json json_of(const Spec &spec, const ExtractionResult &result) {
  Json json{{"kernel", result.kernel}, {"slug", spec.slug_of(result.kernel)}, {"extracted", !result.error}};
  if (result.error)
    json["error"] = {{"what", result.error->what}, {"where", result.error->where}, {"remedy", result.error->remedy}};
  else
    json["model"] = (spec.mep_dir(spec.slug_of(result.kernel)) / "model.json").string();
  return json;
}

Result<void> extract(Context &context, const std::string &path, const Request &request, Json &document) {
  KOPT_TRY(spec, read_spec(context.disk, path));
  KOPT_TRY(kernels, chosen_kernels(spec, request.kernels));
  KOPT_TRY(results, extract_kernels(context, spec, kernels));
  // The build goes on with what could be extracted; the verb that a user asked for says what could not.
  if (!request.depfile.empty()) return context.disk.write(request.depfile, depfile_of(request.output, results));
  for (const ExtractionResult &result : results) {
    document.push_back(json_of(spec, result));
    if (result.error) report_error(context, *result.error, exit_failed);
  }
  return {};
}

void run(Context &context, const Request &request) {
  Json document = Json::array();
  for (const std::string &spec : request.specs)
    if (const auto done = extract(context, spec, request, document); !done) return report_error(context, done.error());
  if (request.as_json) fmt::print("{}\n", document.dump(2));
}

} // namespace

Result<std::vector<ExtractionResult>> extract_kernels(Context &context, const Spec &spec,
                                                      const std::vector<std::string> &kernels) {
  KOPT_TRY(outcome, run_kopt_source(context, spec, kernels));
  KOPT_CHECK(check_interruption(context.interruption));
  if (outcome.signal != 0) {
    KOPT_CHECK(extract_one_by_one(context, spec, kernels));
  } else if (!outcome.succeeded()) {
    return fail(fmt::format("kopt-source ended with exit code {}", outcome.exit_code), spec.target, "see its message above");
  }
  std::vector<ExtractionResult> results;
  for (const std::string &kernel : kernels) {
    KOPT_TRY(result, read_extraction(context.disk, spec, kernel));
    results.push_back(std::move(result));
  }
  return results;
}

void add_extract(CLI::App &app, Context &context) {
  auto request = std::make_shared<Request>();
  auto *verb = app.add_subcommand("extract", "Find out about the kernels of a target: writes model.json for each");
  verb->add_option("--spec", request->specs, "spec.json that kopt_optimize_target() wrote")->required();
  verb->add_option("--kernel", request->kernels, "a kernel of the spec; default: all");
  auto *depfile = verb->add_option("--depfile", request->depfile,
                                   "For the build: record what cannot be extracted, and write what --output depends on");
  verb->add_option("--output", request->output, "What the depfile is about")->needs(depfile);
  verb->add_flag("--json", request->as_json, "Print JSON");
  verb->callback([&context, request] { run(context, *request); });
}

} // namespace kopt
