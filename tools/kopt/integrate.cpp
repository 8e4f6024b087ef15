// kopt integrate: makes the source that the build compiles in place of an original with accepted variants. It never fails a
// build because of the store: what cannot be used is left out with one warning.
#include "store/integrate.h"
#include "kopt/verb.h"

#include <fmt/format.h>
#include <memory>

namespace kopt {

namespace {

struct IntegrateArguments {
  std::vector<std::string> records;
  std::string source, output, depfile, directory, source_root;
};

void run_integrate(Context &context, const IntegrateArguments &arguments) {
  const IntegrateRequest request{{arguments.records.begin(), arguments.records.end()}, arguments.source, arguments.directory};
  const auto made = integrate(context.disk, request);
  if (!made) return report_error(context, made.error());
  for (const std::string &line : made->warnings) fmt::print(stderr, "{}\n", line);
  auto written = context.disk.write(arguments.output, made->text);
  if (written && !arguments.depfile.empty())
    written = context.disk.write(arguments.depfile, depfile(arguments.output, made->inputs));
  if (!written) report_error(context, written.error());
}

} // namespace

void add_integrate(CLI::App &app, Context &context) {
  auto *verb = app.add_subcommand("integrate", "Make the source that is built in place of an original with accepted variants");
  auto arguments = std::make_shared<IntegrateArguments>();
  verb->add_option("--record", arguments->records, "record.json of an accepted variant; may be repeated")->required();
  verb->add_option("--source", arguments->source, "The original source")->required();
  verb->add_option("--output", arguments->output, "The source to write")->required();
  verb->add_option("--depfile", arguments->depfile, "Dependency file to write, as make reads it");
  verb->add_option("--directory", arguments->directory, "Folder that the paths in records are relative to")->required();
  verb->add_option("--source-root", arguments->source_root, "Top folder of the project");
  verb->callback([&context, arguments] { run_integrate(context, *arguments); });
}

} // namespace kopt
