// ExtractionResult: what came of the extraction of a kernel, and out of which files (docs/formats.md, "Extraction result"). It
// is written where a model could be made and where not, so that a build goes on with the other kernels and says at its end why
// this one is missing. While all its inputs are as they were, it holds, and nothing needs to be extracted again.
#pragma once

#include "core/json.h"
#include "core/spec.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

// Hashes of files as they are now, each read once; empty for a file that is not there.
class FileHashes {
public:
  explicit FileHashes(const Disk &disk) : disk_(disk) {}
  [[nodiscard]] const std::string &of(const fs::path &file);

private:
  const Disk &disk_;
  std::map<fs::path, std::string> known_;
};

struct ExtractionResult {
  static constexpr const char *format = "kopt-extraction";
  static constexpr int version = 1;

  std::string kernel;
  std::optional<Error> error;                // why there is no model
  std::map<std::string, std::string> inputs; // hashes of the files that were read for it

  [[nodiscard]] bool holds(FileHashes &hashes) const;
};

void to_json(Json &json, const ExtractionResult &result);
void from_json(const Json &json, ExtractionResult &result);

// Beside model.json.
[[nodiscard]] fs::path extraction_path(const Spec &spec, const std::string &kernel);
[[nodiscard]] Result<ExtractionResult> read_extraction(const Disk &disk, const Spec &spec, const std::string &kernel);
// Also takes the model away where there is an error: a model of what the source was must not be taken for what it is.
Result<void> write_extraction(Disk &disk, const Spec &spec, const ExtractionResult &result);

// A rule for the build tool: `target` is made from the inputs of these results.
[[nodiscard]] std::string depfile_of(const fs::path &target, const std::vector<ExtractionResult> &results);

} // namespace kopt
