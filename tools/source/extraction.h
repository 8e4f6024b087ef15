// Extraction: from a spec and the names of kernels to their models. Each source is parsed once; each closure is then parsed
// alone, which proves that it compiles, and the model is made from that second AST, so that all offsets are offsets in the
// closure's text.
#pragma once

#include "core/disk.h"
#include "core/model.h"
#include "core/process.h"
#include "core/spec.h"

#include <set>
#include <string>
#include <vector>

namespace kopt {

struct Extracted {
  std::string kernel; // as asked for
  Result<Model> model;
  std::set<std::string> files; // the project's files that were read for it
};

// What an extraction spent its time on.
struct ExtractionTiming {
  std::size_t sources = 0, parsed = 0, closures = 0; // sources of the target, those that were parsed, closures made
  double filter_seconds = 0, parse_seconds = 0, closure_seconds = 0;
  [[nodiscard]] std::string text() const;
};

// One result for each name, in order. The target's compiler is asked where its headers are.
[[nodiscard]] std::vector<Extracted> extract(const Disk &disk, Processes &processes, const Spec &spec,
                                             const std::vector<std::string> &kernels, ExtractionTiming *timing = nullptr);

} // namespace kopt
