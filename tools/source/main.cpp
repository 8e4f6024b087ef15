// kopt-source: finds kernels in the sources of a target and writes a model of each.
#include "core/disk.h"
#include "core/process.h"
#include "core/spec.h"
#include "source/extraction.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

namespace {

using kopt::Error;

int complain(const Error &error, int code) {
  std::cerr << "kopt-source: error: " << error.message() << "\n";
  return code;
}

kopt::Result<void> write(kopt::Disk &disk, const kopt::Spec &spec, const kopt::Model &model) {
  const auto folder = spec.mep_dir(model.slug);
  if (auto written = kopt::write_model(disk, folder / "model.json", model); !written) return written;
  return disk.write(folder / "model.d", kopt::depfile_of(model, spec, folder / "model.json"));
}

int extract(const std::string &spec_path, std::vector<std::string> kernels) {
  kopt::RealDisk disk;
  kopt::RealProcesses processes;
  const auto spec = kopt::read_spec(disk, kopt::fs::absolute(spec_path).lexically_normal());
  if (!spec) return complain(spec.error(), 2);
  if (kernels.empty()) kernels = spec->kernels;
  int code = 0;
  for (const auto &extracted : kopt::extract(disk, processes, *spec, kernels)) {
    // A model of what the source was before must not be taken for what it is now.
    if (!extracted.model) (void)disk.remove(spec->mep_dir(spec->slug_of(extracted.kernel)) / "model.json");
    if (!extracted.model)
      code = complain(extracted.model.error(), 1);
    else if (auto written = write(disk, *spec, *extracted.model); !written)
      code = complain(written.error(), 1);
  }
  return code;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Finds kernels in the sources of a target and writes a model of each");
  app.set_version_flag("--version", "kopt-source " KOPT_VERSION);
  app.require_subcommand(1);
  auto *verb = app.add_subcommand("extract", "Write <work_dir>/<kernel>/model.json for kernels of a spec");
  std::string spec;
  std::vector<std::string> kernels;
  verb->add_option("--spec", spec, "spec.json that kopt_optimize_target() wrote")->required();
  verb->add_option("--kernel", kernels, "a kernel of the spec; default: all");
  CLI11_PARSE(app, argc, argv);
  return extract(spec, kernels);
}
