// CaseFiles: one recording as a case of a kopt-cases document, and the compressed files that it names.
#pragma once

#include "core/disk.h"
#include "mep/recording.h"

#include <map>
#include <string>
#include <vector>

namespace kopt {

struct CaseFiles {
  Json document;
  std::map<std::string, const std::vector<std::uint8_t> *> files; // of the recording, by name relative to the document
};

// Contents that are in `known` (hash to file name) already are named again rather than kept twice.
[[nodiscard]] Result<CaseFiles> case_of(const Recording &recording, const Model &model,
                                        std::map<std::string, std::string> &known);

Result<void> write_files(Disk &disk, const fs::path &folder, const CaseFiles &kase);

} // namespace kopt
