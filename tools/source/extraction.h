// Extraction: from a spec and the names of kernels to their models. Each source is parsed once; each closure is then parsed
// alone, which proves that it compiles, and the model is made from that second AST, so that all offsets are offsets in the
// closure's text.
#pragma once

#include "core/disk.h"
#include "core/model.h"
#include "core/process.h"
#include "core/spec.h"

#include <string>
#include <vector>

namespace kopt {

struct Extracted {
  std::string kernel; // as asked for
  Result<Model> model;
};

// One result for each name, in order. The target's compiler is asked where its headers are.
[[nodiscard]] std::vector<Extracted> extract(const Disk &disk, Processes &processes, const Spec &spec,
                                             const std::vector<std::string> &kernels);

// The files a model depends on, as a rule for make: source, headers of the closure, spec.
[[nodiscard]] std::string depfile_of(const Model &model, const Spec &spec, const fs::path &model_path);

} // namespace kopt
