// kopt-source: finds kernels in the sources of a target and writes a model of each.
#include "core/disk.h"
#include "core/extraction_result.h"
#include "core/process.h"
#include "core/spec.h"
#include "source/extraction.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>

namespace {

using kopt::Error;

struct Request {
  std::string spec;
  std::vector<std::string> kernels;
  bool quiet = false, timing = false;
};

int complain(const Error &error, int code) {
  std::cerr << "kopt-source: error: " << error.message() << "\n";
  return code;
}

// The kernels whose last result does not hold any more.
std::vector<std::string> outdated(const kopt::Disk &disk, const kopt::Spec &spec, const std::vector<std::string> &kernels,
                                  kopt::FileHashes &hashes) {
  std::vector<std::string> names;
  for (const std::string &kernel : kernels) {
    const auto last = kopt::read_extraction(disk, spec, kernel);
    const bool has_model = disk.exists(spec.mep_dir(spec.slug_of(kernel)) / "model.json");
    if (!last || last->holds(hashes) == false || last->error.has_value() == has_model) names.push_back(kernel);
  }
  return names;
}

// What every extraction depends on.
std::vector<std::string> common_inputs(const kopt::Spec &spec) {
  std::error_code code;
  const kopt::fs::path program = kopt::fs::read_symlink("/proc/self/exe", code);
  return {spec.path.string(), spec.compile_commands.string(), program.string()};
}

kopt::Result<void> write(kopt::Disk &disk, const kopt::Spec &spec, const kopt::Extracted &extracted, kopt::FileHashes &hashes) {
  kopt::ExtractionResult result;
  result.kernel = extracted.kernel;
  if (!extracted.model) result.error = extracted.model.error();
  for (const std::string &file : common_inputs(spec)) result.inputs[file] = hashes.of(file);
  for (const std::string &file : extracted.files) result.inputs[file] = hashes.of(file);
  if (extracted.model)
    KOPT_CHECK(kopt::write_model(disk, spec.mep_dir(extracted.model->slug) / "model.json", *extracted.model));
  return kopt::write_extraction(disk, spec, result);
}

int extract(const Request &request) {
  kopt::RealDisk disk;
  kopt::RealProcesses processes;
  const auto spec = kopt::read_spec(disk, kopt::fs::absolute(request.spec).lexically_normal());
  if (!spec) return complain(spec.error(), 2);
  const auto kernels = kopt::chosen_kernels(*spec, request.kernels);
  if (!kernels) return complain(kernels.error(), 2);
  kopt::FileHashes hashes(disk);
  kopt::ExtractionTiming timing;
  const auto todo = outdated(disk, *spec, *kernels, hashes);
  if (!todo.empty())
    for (const auto &extracted : kopt::extract(disk, processes, *spec, todo, &timing))
      if (const auto written = write(disk, *spec, extracted, hashes); !written) return complain(written.error(), 2);
  if (request.timing) std::cerr << timing.text() << "\n";
  if (request.quiet) return 0;
  int code = 0;
  for (const std::string &kernel : *kernels)
    if (const auto result = kopt::read_extraction(disk, *spec, kernel); !result)
      code = complain(result.error(), 2);
    else if (result->error)
      code = complain(*result->error, 1);
  return code;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Finds kernels in the sources of a target and writes a model of each");
  app.set_version_flag("--version", "kopt-source " KOPT_VERSION);
  app.require_subcommand(1);
  auto *verb =
      app.add_subcommand("extract", "Write <work_dir>/<kernel>/model.json for kernels of a spec, where it is not as they are");
  Request request;
  verb->add_option("--spec", request.spec, "spec.json that kopt_optimize_target() wrote")->required();
  verb->add_option("--kernel", request.kernels, "a kernel of the spec; default: all");
  verb->add_flag("--quiet", request.quiet, "only record what cannot be extracted, in extraction.json");
  verb->add_flag("--timing", request.timing, "say what took how long");
  CLI11_PARSE(app, argc, argv);
  return extract(request);
}
