// A small application with one kernel and a variant of it, as text, and what kopt-source would say about it.
#pragma once

#include "core/disk.h"
#include "core/hash.h"
#include "core/slug.h"
#include "core/spec.h"
#include "model_fixture.h"
#include "store/store.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace kopt::fixture {

inline void must(const Result<void> &result) {
  if (!result) throw std::runtime_error(result.error().message());
}

inline const std::string grid_h = R"cpp(#pragma once

struct Grid {
  int nx, ny;
};

inline int idx(const Grid &g, int i, int j) { return j * g.nx + i; }
)cpp";

inline const std::string kernels_cpp = R"cpp(// Kernels.
#include "grid.h"

namespace heat {

static const double weight = 0.25;

int version() { return 1; }

void diffuse(const Grid &g, const double *u, double *next) {
  for (int i = 1; i < g.nx - 1; ++i)
    for (int j = 1; j < g.ny - 1; ++j)
      next[idx(g, i, j)] = weight * (u[idx(g, i - 1, j)] + u[idx(g, i + 1, j)] + u[idx(g, i, j - 1)] + u[idx(g, i, j + 1)]);
}

} // namespace heat
)cpp";

inline const std::string variant_cpp = R"cpp(#ifndef KOPT_STEP
#define KOPT_STEP 1
#endif
static void kopt_variant(const Grid &g, const double *u, double *next) {
  for (int j = 1; j < g.ny - 1; ++j)
    for (int i = 1; i < g.nx - 1; i += KOPT_STEP)
      next[idx(g, i, j)] = weight * (u[idx(g, i - 1, j)] + u[idx(g, i + 1, j)] + u[idx(g, i, j - 1)] + u[idx(g, i, j + 1)]);
}
)cpp";

inline const std::string plan_txt = "require disjoint(u[0 : g.nx * g.ny], next[0 : g.nx * g.ny])\ncall kopt_variant\n";

// The piece of `text` that begins with `first` and ends with `last`.
inline Piece piece(const std::string &text, const fs::path &file, const std::string &name, const std::string &kind,
                   const std::string &first, const std::string &last) {
  const auto begin = text.find(first), end = text.find(last, begin) + last.size();
  const auto slice = text.substr(begin, end - begin);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(begin), '\n');
  return {name,          kind, file.string(), static_cast<int>(line), static_cast<long>(begin), static_cast<long>(slice.size()),
          hash_of(slice)};
}

inline Model diffuse_model(const fs::path &folder) {
  const fs::path source = folder / "kernels.cpp", header = folder / "grid.h";
  Model model;
  model.name = "heat::diffuse";
  model.slug = "heat.diffuse";
  model.target = "heat";
  model.return_type = "void";
  model.linkage = "external";
  model.file = source.string();
  model.namespaces = {"heat"};
  model.compile = {"g++", folder.string(), {"-O1", "-std=c++17"}, true, {}};
  model.parameters = {{"g", "const Grid &", "reference", "Grid", 8, 4, {0, 1}},
                      {"u", "const double *", "value", "const double *", 8, 8, {2}},
                      {"next", "double *", "value", "double *", 8, 8, {3}}};
  const auto cells = symbol("g.nx") * symbol("g.ny");
  model.leaves = {scalar_leaf("g.nx", 0, integer_element(), 0), scalar_leaf("g.ny", 0, integer_element(), 4),
                  pointer_leaf("u", 1, "const double *", float_element(), "read", cells),
                  pointer_leaf("next", 2, "double *", float_element(), "write", cells)};
  const std::string anchor = "void diffuse(const Grid &g, const double *u, double *next) {";
  model.anchor = {
      source.string(), static_cast<long>(kernels_cpp.find(anchor)), static_cast<long>(anchor.size()), 10, hash_of(anchor),
      anchor};
  model.line = 10;
  model.closure.pieces = {piece(grid_h, header, "Grid", "type", "struct Grid", "};"),
                          piece(grid_h, header, "idx", "function", "inline int idx", "+ i; }"),
                          piece(kernels_cpp, source, "heat::weight", "variable", "static const", "0.25;"),
                          piece(kernels_cpp, source, "heat::diffuse", "kernel", "void diffuse", "\n}")};
  return model;
}

inline Variant diffuse_variant() { return {variant_cpp, plan_txt, "rules", {"interchange"}, {{"KOPT_STEP", "1"}}, {}, {}}; }

inline Verdict faster(double speedup = 4) {
  Verdict verdict;
  verdict.kind = VerdictKind::Faster;
  verdict.speedup = speedup, verdict.low = speedup - 0.1, verdict.high = speedup + 0.1;
  verdict.confidence = 0.99;
  return verdict;
}

inline Spec heat_spec(const fs::path &folder, const fs::path &build = "/build") {
  Spec spec;
  spec.path = build / "kopt/heat/spec.json";
  spec.target = "heat";
  spec.type = "EXECUTABLE";
  spec.platform = "host";
  spec.directory = spec.source_root = folder;
  spec.build_root = build;
  spec.work_dir = build / "kopt/heat";
  spec.variants_dir = folder / "kopt";
  spec.compiler = "g++";
  spec.sources = {(folder / "kernels.cpp").string()};
  spec.kernels = {"heat::diffuse"};
  spec.executable = (build / "heat").string();
  spec.run = {spec.executable, "--steps", "3"};
  spec.run_directory = build.string();
  return spec;
}

// The application's sources on a disk, with the variant accepted. Returns record.json.
inline fs::path lay_out(Disk &disk, const Spec &spec) {
  const fs::path folder = spec.directory;
  must(disk.write(folder / "kernels.cpp", kernels_cpp));
  must(disk.write(folder / "grid.h", grid_h));
  return accept(disk, spec, diffuse_model(folder), diffuse_variant(), faster(), {{"date", "2026-11-30T00:00:00Z"}}).value();
}

// `text` with the first `from` replaced.
inline std::string replaced(std::string text, const std::string &from, const std::string &to) {
  return text.replace(text.find(from), from.size(), to);
}

} // namespace kopt::fixture
