// kopt mep: makes the MEP of each kernel from its model and its cases, and compiles its baseline.
#include "mep/mep.h"

#include "kopt/verb.h"
#include "mep/source.h"
#include "mep/workload.h"
#include "platform/platform.h"
#include "report/table.h"

#include <fmt/format.h>

namespace kopt {

namespace {

struct MepRequest {
  std::vector<std::string> specs, kernels;
  bool as_json = false;
};

// What was made for one kernel.
struct Made {
  std::string kernel;
  fs::path folder;
  std::size_t cases = 0, held_out = 0, bytes = 0;
  std::vector<std::pair<std::string, double>> weights; // of the cases that are timed, by name
};

Result<void> build_baseline(Context &context, const fs::path &folder, const Model &model) {
  KOPT_TRY(platform, make_platform(model.platform, context.disk, context.processes));
  KOPT_TRY(build,
           platform->build(model.compile, {baseline_source(model), folder / "baseline.cpp", folder / "baseline.so", {}}));
  if (build.succeeded) return {};
  return fail("its closure does not compile by itself:\n" + build.diagnosis, model.name,
              "the command was " + shell_quoted(build.command));
}

Result<Made> make(Context &context, const Spec &spec, const std::string &kernel, bool with_baseline) {
  KOPT_TRY(model, model_of(context, spec, kernel));
  KOPT_TRY(cases, given_cases(context.disk, spec, model));
  if (cases.empty())
    return fail("there are no cases to run it with", kernel, "run kopt capture, or give CASES in kopt_optimize_target()");
  const auto templates = Templates::find(context.disk, context.environment, context.program, spec.template_dir, model.platform);
  KOPT_CHECK(write_mep(context.disk, spec, model, cases, templates));
  Made made{kernel, spec.mep_dir(model.slug), cases.size(), 0, 0, {}};
  for (const Case &kase : cases) {
    if (kase.held_out)
      ++made.held_out;
    else
      made.weights.emplace_back(kase.name, kase.weight);
    for (const Buffer &buffer : kase.buffers) made.bytes += buffer.before.size();
  }
  if (with_baseline) KOPT_CHECK(build_baseline(context, made.folder, model));
  return made;
}

void print(const Made &made) {
  const std::string held_out = made.held_out > 0 ? fmt::format(" ({} held out)", made.held_out) : "";
  fmt::print("{:28} {} case{}{}, {}, {}\n", made.kernel, made.cases, made.cases == 1 ? "" : "s", held_out,
             size_text(made.bytes), made.folder.string());
  if (made.weights.size() < 2) return;
  double all = 0;
  for (const auto &[name, weight] : made.weights) all += weight;
  for (const auto &[name, weight] : made.weights) fmt::print("{:28} {} counts {:.3g} %\n", "", name, 100 * weight / all);
}

Json json_of(const Made &made) {
  return {{"kernel", made.kernel},     {"folder", made.folder.string()}, {"cases", made.cases},
          {"held_out", made.held_out}, {"weights", made.weights},        {"bytes", made.bytes}};
}

// Makes what can be made; each kernel that cannot is one message.
void run_mep(Context &context, const MepRequest &request) {
  Json all = Json::array();
  for (const std::string &path : request.specs) {
    const auto spec = read_spec(context.disk, path);
    if (!spec) return report_error(context, spec.error());
    const auto kernels = chosen_kernels(*spec, request.kernels);
    if (!kernels) return report_error(context, kernels.error());
    for (const std::string &kernel : *kernels) {
      const auto made = make(context, *spec, kernel, true);
      if (!made)
        report_error(context, made.error(), exit_failed);
      else if (request.as_json)
        all.push_back(json_of(*made));
      else
        print(*made);
    }
  }
  if (request.as_json) fmt::print("{}\n", all.dump(2));
}

} // namespace

Result<void> make_mep(Context &context, const Spec &spec, const std::string &kernel, bool quiet) {
  KOPT_TRY(made, make(context, spec, kernel, false));
  if (!quiet) print(made);
  return {};
}

void add_mep(CLI::App &app, Context &context) {
  auto request = std::make_shared<MepRequest>();
  CLI::App *verb =
      app.add_subcommand("mep", "Make each kernel's Minimal Executable Program: a folder that builds and runs alone");
  verb->add_option("--spec", request->specs, "spec.json of a target (by kopt_optimize_target)")->required();
  verb->add_option("--kernel", request->kernels, "only this kernel; may be repeated");
  verb->add_flag("--json", request->as_json, "print JSON");
  verb->callback([request, &context] { run_mep(context, *request); });
}

} // namespace kopt
