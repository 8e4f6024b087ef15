// kopt probe: the instrumented copy of one source, for kopt-capture's executable. Called by the build, once for each source of
// the target.
#include "mep/probe.h"

#include "core/spec.h"
#include "kopt/verb.h"

#include <fmt/format.h>

namespace kopt {

namespace {

struct ProbeArguments {
  std::string spec, source, output, depfile;
};

// The models of the target's kernels. One that is missing is a kernel that could not be extracted: it has no probe, the others
// do.
std::vector<Model> models_of(Context &context, const Spec &spec) {
  std::vector<Model> models;
  for (const auto &kernel : spec.kernels) {
    auto model = read_model(context.disk, spec.mep_dir(spec.slug_of(kernel)) / "model.json");
    if (model)
      models.push_back(std::move(*model));
    else
      fmt::print(stderr, "kopt: warning: {} is not recorded: {}\n", kernel, model.error().message());
  }
  return models;
}

std::string make_quoted(const std::string &path) {
  std::string quoted;
  for (char c : path) {
    if (c == ' ' || c == '#' || c == '\\') quoted += '\\';
    if (c == '$') quoted += '$';
    quoted += c;
  }
  return quoted;
}

std::string depfile_text(const ProbeArguments &arguments, const Spec &spec, const std::vector<Model> &models) {
  std::string text = make_quoted(arguments.output) + ": " + make_quoted(arguments.source);
  for (const auto &model : models)
    if (model.anchor.file != arguments.source)
      text += " \\\n  " + make_quoted(model.anchor.file); // a header, or it does not matter
  for (const auto &kernel : spec.kernels) text += " \\\n  " + make_quoted(extraction_path(spec, kernel));
  return text + "\n";
}

Result<void> probe(Context &context, const ProbeArguments &arguments) {
  KOPT_TRY(spec, read_spec(context.disk, arguments.spec));
  KOPT_TRY(original, context.disk.read(arguments.source));
  const auto models = models_of(context, spec);
  const auto source = instrument(context.disk, original, arguments.source, models);
  for (const auto &problem : source.problems) fmt::print(stderr, "{}\n", "kopt: warning: not recorded: " + problem.message());
  KOPT_CHECK(context.disk.write(arguments.output, source.text));
  if (!arguments.depfile.empty()) KOPT_CHECK(context.disk.write(arguments.depfile, depfile_text(arguments, spec, models)));
  return {};
}

} // namespace

void add_probe(CLI::App &app, Context &context) {
  auto *verb = app.add_subcommand("probe", "Write the instrumented copy of a source, for capture (called by the build)");
  auto arguments = std::make_shared<ProbeArguments>();
  verb->add_option("--spec", arguments->spec, "What CMake knows about the target")->required();
  verb->add_option("--source", arguments->source, "The original")->required();
  verb->add_option("--output", arguments->output, "The copy to write")->required();
  verb->add_option("--depfile", arguments->depfile, "Dependencies of the copy, for the build tool");
  verb->callback([&context, arguments] {
    if (auto done = probe(context, *arguments); !done) report_error(context, done.error());
  });
}

} // namespace kopt
