// Spec: what CMake knows about one target given to kopt_optimize_target() (docs/formats.md, "Spec").
#pragma once

#include "core/json.h"

#include <map>
#include <string>
#include <vector>

namespace kopt {

struct Spec {
  static constexpr const char *format = "kopt-spec";
  static constexpr int version = 1;

  fs::path path; // of the document itself
  std::string target, type, configuration, platform;
  fs::path directory, source_root, build_root, work_dir, variants_dir, compile_commands;
  std::string compiler, compiler_id;
  std::vector<std::string> sources;
  std::map<std::string, std::string> swapped;
  std::vector<std::string> kernels, slugs; // in the same order; specs of old have no slugs
  std::string executable, capture_executable;
  std::vector<std::string> run, validate;
  std::string run_directory;
  std::vector<std::string> cases, held_out;
  std::string template_dir, kopt_source;
  std::map<std::string, std::string> options;

  // The slug of one of the kernels. CMake, which names folders and tests by it, decides where two kernels would share one.
  [[nodiscard]] std::string slug_of(const std::string &kernel) const;
  [[nodiscard]] fs::path mep_dir(const std::string &slug) const { return work_dir / slug; }
  [[nodiscard]] fs::path store_dir(const std::string &slug, const std::string &arch) const {
    return variants_dir / target / slug / arch;
  }
};

[[nodiscard]] Result<Spec> read_spec(const Disk &disk, const fs::path &path);
void from_json(const Json &json, Spec &spec);

// The kernels asked for, or all of the target if none is; an error naming the first that is no kernel of it.
[[nodiscard]] Result<std::vector<std::string>> chosen_kernels(const Spec &spec, const std::vector<std::string> &asked);

// `<arch>` of this machine for platform host: x86_64, aarch64 ...
[[nodiscard]] std::string host_arch();

} // namespace kopt
