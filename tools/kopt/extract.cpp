// kopt extract: has kopt-source, the program that knows C++, write the models of a spec's kernels.
#include "core/spec.h"
#include "kopt/verb.h"

#include <algorithm>
#include <memory>

namespace kopt {
namespace {

struct Request {
  std::vector<std::string> specs, kernels;
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

// Whether all kernels of the spec were extracted.
Result<bool> extract(Context &context, const std::string &spec_path, const std::vector<std::string> &kernels) {
  auto spec = read_spec(context.disk, spec_path);
  if (!spec) return tl::make_unexpected(spec.error());
  KOPT_TRY(program, find_kopt_source(context, *spec));
  Command command;
  command.words = {program.string(), "extract", "--spec", spec_path};
  for (const std::string &kernel : kernels) command.words.insert(command.words.end(), {"--kernel", kernel});
  command.pass_output = true; // its messages are for the user, and complete
  KOPT_TRY(outcome, context.processes.run(command));
  if (outcome.signal != 0)
    return fail("kopt-source was ended by signal " + std::to_string(outcome.signal), spec->target,
                "report this with the kernel's source");
  return outcome.succeeded();
}

void run(Context &context, const Request &request) {
  for (const std::string &spec : request.specs) {
    const auto done = extract(context, spec, request.kernels);
    if (!done) return report_error(context, done.error());
    if (!*done) context.exit_code = exit_failed;
  }
}

} // namespace

void add_extract(CLI::App &app, Context &context) {
  auto request = std::make_shared<Request>();
  auto *verb = app.add_subcommand("extract", "Find out about the kernels of a target: writes model.json for each");
  verb->add_option("--spec", request->specs, "spec.json that kopt_optimize_target() wrote")->required();
  verb->add_option("--kernel", request->kernels, "a kernel of the spec; default: all");
  verb->callback([&context, request] { run(context, *request); });
}

} // namespace kopt
