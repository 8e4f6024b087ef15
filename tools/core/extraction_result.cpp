#include "core/extraction_result.h"

#include "core/hash.h"

#include <set>

namespace kopt {

const std::string &FileHashes::of(const fs::path &file) {
  const auto [entry, is_new] = known_.try_emplace(file);
  if (is_new)
    if (const auto text = disk_.read(file)) entry->second = hash_of(*text);
  return entry->second;
}

bool ExtractionResult::holds(FileHashes &hashes) const {
  for (const auto &[file, hash] : inputs)
    if (hashes.of(file) != hash) return false;
  return !inputs.empty();
}

void to_json(Json &json, const ExtractionResult &result) {
  json = new_document(ExtractionResult::format, ExtractionResult::version);
  json["kernel"] = result.kernel;
  json["error"] = nullptr;
  if (result.error)
    json["error"] = {{"what", result.error->what}, {"where", result.error->where}, {"remedy", result.error->remedy}};
  json["inputs"] = result.inputs;
}

void from_json(const Json &json, ExtractionResult &result) {
  result.kernel = json.at("kernel").get<std::string>();
  result.error.reset();
  if (const Json error = json.value("error", Json()); error.is_object())
    result.error = Error{error.value("what", ""), error.value("where", ""), error.value("remedy", "")};
  result.inputs = json.at("inputs").get<std::map<std::string, std::string>>();
}

fs::path extraction_path(const Spec &spec, const std::string &kernel) {
  return spec.mep_dir(spec.slug_of(kernel)) / "extraction.json";
}

Result<ExtractionResult> read_extraction(const Disk &disk, const Spec &spec, const std::string &kernel) {
  const fs::path path = extraction_path(spec, kernel);
  KOPT_TRY(json, read_document(disk, path, ExtractionResult::format, ExtractionResult::version));
  return decode<ExtractionResult>(json, path.string());
}

Result<void> write_extraction(Disk &disk, const Spec &spec, const ExtractionResult &result) {
  const fs::path path = extraction_path(spec, result.kernel);
  if (const fs::path model = path.parent_path() / "model.json"; result.error && disk.exists(model))
    KOPT_CHECK(disk.remove(model));
  return write_document(disk, path, Json(result));
}

std::string depfile_of(const fs::path &target, const std::vector<ExtractionResult> &results) {
  const auto escaped = [](const std::string &path) {
    std::string text;
    for (const char c : path) {
      if (c == ' ' || c == '#') text += '\\';
      if (c == '$') text += '$';
      text += c;
    }
    return text;
  };
  std::set<std::string> files;
  for (const ExtractionResult &result : results)
    for (const auto &[file, hash] : result.inputs)
      if (!hash.empty()) files.insert(file);
  std::string rule = escaped(target.string()) + ":";
  for (const std::string &file : files) rule += " \\\n  " + escaped(file);
  return rule + "\n";
}

} // namespace kopt
