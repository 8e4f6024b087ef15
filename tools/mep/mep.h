// Mep: the Minimal Executable Program of a kernel, a folder that builds and runs alone: closure, glue, cases, and a program
// that replays, checks and times them.
#pragma once

#include "core/case.h"
#include "core/disk.h"
#include "core/model.h"
#include "core/spec.h"
#include "mep/templates.h"

#include <string>
#include <vector>

namespace kopt {

// Writes <work_dir>/<slug>/: CMakeLists.txt, kernel.cpp, main.cpp, README.md, kopt_prelude.h, cases/replay.txt and the raw
// contents it names. Files there that belong to others (model.json, cases/cases.json, variant.cpp, build/) are left alone.
Result<void> write_mep(Disk &disk, const Spec &spec, const Model &model, const std::vector<Case> &cases,
                       const Templates &templates);

// What a MEP replays, as text: a line `case <held out> <name>`, then its lines
//   buffer <bytes> <file before> <file after>   `-` for zeros, `?` for not recorded
//   leaf <index> scalar <hex> | pointer <buffer> <offset> | null
//   left <index> <hex>                          a scalar or the result as the application left it
// and the files, by name.
struct Replay {
  std::string text;
  std::map<std::string, std::string> files;
};
[[nodiscard]] Replay replay_of(const Model &model, const std::vector<Case> &cases);

} // namespace kopt
