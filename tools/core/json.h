// Json: JSON documents with a format name and a version (docs/formats.md).
#pragma once

#include "core/disk.h"
#include "core/error.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kopt {

using Json = nlohmann::ordered_json;

// Parses text; `where` names the file in the error, which gives line and column.
[[nodiscard]] Result<Json> parse_json(std::string_view text, const std::string &where);

// Reads a document and checks that it is `format` with a version from 1 to `version`. A newer version is an error naming both.
[[nodiscard]] Result<Json> read_document(const Disk &disk, const fs::path &path, std::string_view format, int version);

// {"format": ..., "version": ...}, to be filled.
[[nodiscard]] Json new_document(std::string_view format, int version);

// The document as it is written to a file.
[[nodiscard]] std::string document_text(const Json &document);
Result<void> write_document(Disk &disk, const fs::path &path, const Json &document);

// Converts with from_json(); a missing key or a wrong type becomes an Error naming `where` and the key.
template <typename T> [[nodiscard]] Result<T> decode(const Json &json, const std::string &where) {
  try {
    return json.get<T>();
  } catch (const nlohmann::json::exception &error) {
    return fail(std::string("not as expected: ") + error.what(), where, "compare with docs/formats.md");
  }
}

} // namespace kopt
