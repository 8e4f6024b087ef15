#include "core/json.h"

#include <fmt/format.h>

namespace kopt {

Result<Json> parse_json(std::string_view text, const std::string &where) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception &error) {
    // The library's text begins "[json.exception...] "; what follows names line and column.
    std::string what = error.what();
    if (const auto bracket = what.find("] "); bracket != std::string::npos) what = what.substr(bracket + 2);
    return fail("broken JSON: " + what, where, "repair or remove the file");
  }
}

Result<Json> read_document(const Disk &disk, const fs::path &path, std::string_view format, int version) {
  KOPT_TRY(text, disk.read(path));
  KOPT_TRY(json, parse_json(text, path.string()));
  if (!json.is_object() || !json.contains("format") || !json["format"].is_string())
    return fail(fmt::format("not a {} document: it has no \"format\"", format), path.string(), "see docs/formats.md");
  if (json["format"].get<std::string>() != format)
    return fail(fmt::format("is a {} document where {} is expected", json["format"].get<std::string>(), format), path.string(),
                "docs/formats.md says where each document is");
  if (!json.contains("version") || !json["version"].is_number_integer())
    return fail(fmt::format("{} document without a \"version\"", format), path.string(), "see docs/formats.md");
  const auto found = json["version"].get<long>();
  if (found > version)
    return fail(fmt::format("{} version {} is newer than the version {} this kopt reads", format, found, version),
                path.string(), "use the KernelOpt that wrote it, or a newer one");
  if (found < 1) return fail(fmt::format("{} version {} does not exist", format, found), path.string());
  return json;
}

Json new_document(std::string_view format, int version) { return Json{{"format", format}, {"version", version}}; }

std::string document_text(const Json &document) { return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Result<void> write_document(Disk &disk, const fs::path &path, const Json &document) {
  return disk.write(path, document_text(document));
}

} // namespace kopt
