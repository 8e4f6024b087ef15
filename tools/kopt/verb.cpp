#include "kopt/verb.h"

#include <fmt/format.h>

namespace kopt {

void report_error(Context &context, const Error &error, int exit_code) {
  fmt::print(stderr, "kopt: error: {}\n", error.message());
  context.exit_code = exit_code;
}

Result<Options> options_of(const Context &context, const Spec &spec, const std::map<std::string, std::string> &flags) {
  Json file;
  if (const fs::path own = spec.directory / "kopt.json"; context.disk.exists(own)) {
    KOPT_TRY(text, context.disk.read(own));
    KOPT_TRY(parsed, parse_json(text, own.string()));
    file = parsed;
  }
  return Options::resolve(flags, context.environment, file, spec.options);
}

Result<Model> model_of(const Context &context, const Spec &spec, const std::string &kernel) {
  const fs::path path = spec.mep_dir(spec.slug_of(kernel)) / "model.json";
  if (const auto result = read_extraction(context.disk, spec, kernel); result && result->error)
    return tl::make_unexpected(*result->error);
  if (!context.disk.exists(path))
    return fail("it has not been extracted", kernel, "run kopt extract (or build kopt-extract) first");
  return read_model(context.disk, path);
}

} // namespace kopt
