#include "core/spec.h"

#include "core/slug.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

namespace kopt {

void from_json(const Json &json, Spec &spec) {
  const auto path = [&](const char *key) { return fs::path(json.at(key).get<std::string>()); };
  spec.target = json.at("target").get<std::string>();
  spec.type = json.at("type").get<std::string>();
  spec.configuration = json.value("configuration", "");
  spec.platform = json.value("platform", "host");
  spec.directory = path("directory");
  spec.source_root = path("source_root");
  spec.build_root = path("build_root");
  spec.work_dir = path("work_dir");
  spec.variants_dir = path("variants_dir");
  spec.compile_commands = path("compile_commands");
  spec.compiler = json.value("compiler", "c++");
  spec.compiler_id = json.value("compiler_id", "");
  spec.sources = json.at("sources").get<std::vector<std::string>>();
  spec.swapped = json.value("swapped", std::map<std::string, std::string>{});
  spec.kernels = json.at("kernels").get<std::vector<std::string>>();
  spec.slugs = json.value("slugs", std::vector<std::string>{});
  spec.executable = json.value("executable", "");
  spec.capture_executable = json.value("capture_executable", "");
  spec.run = json.value("run", std::vector<std::string>{});
  spec.validate = json.value("validate", std::vector<std::string>{});
  spec.run_directory = json.value("run_directory", "");
  spec.cases = json.value("cases", std::vector<std::string>{});
  spec.held_out = json.value("held_out", std::vector<std::string>{});
  spec.template_dir = json.value("template_dir", "");
  spec.kopt_source = json.value("kopt_source", "");
  spec.options = json.value("options", std::map<std::string, std::string>{});
}

std::string Spec::slug_of(const std::string &kernel) const {
  const auto place = static_cast<std::size_t>(std::find(kernels.begin(), kernels.end(), kernel) - kernels.begin());
  return place < slugs.size() ? slugs[place] : kopt::slug_of(kernel);
}

Result<Spec> read_spec(const Disk &disk, const fs::path &path) {
  if (!disk.exists(path))
    return fail(
        "there is no such spec", path.string(),
        "CMake writes it: configure the project (cmake -S <source> -B <build>) and give <build>/kopt/<target>/spec.json");
  KOPT_TRY(json, read_document(disk, path, Spec::format, Spec::version));
  KOPT_TRY(spec, decode<Spec>(json, path.string()));
  spec.path = path;
  return spec;
}

Result<std::vector<std::string>> chosen_kernels(const Spec &spec, const std::vector<std::string> &asked) {
  if (asked.empty()) return spec.kernels;
  for (const std::string &kernel : asked)
    if (std::find(spec.kernels.begin(), spec.kernels.end(), kernel) == spec.kernels.end())
      return fail(fmt::format("no kernel {} in kopt_optimize_target({})", kernel, spec.target), spec.path.string(),
                  fmt::format("the kernels are {}", fmt::join(spec.kernels, ", ")));
  return asked;
}

std::string host_arch() {
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "unknown";
}

} // namespace kopt
