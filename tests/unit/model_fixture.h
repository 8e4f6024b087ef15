// Models written by hand, as kopt-source would write them, for tests of the parts that read models.
#pragma once

#include "core/hash.h"
#include "core/model.h"

#include <string>
#include <vector>

namespace kopt::fixture {

inline Element integer_element(const std::string &type = "int", int size = 4) { return {type, "integer", size, true, {}}; }
inline Element float_element(const std::string &type = "double", int size = 8) { return {type, "float", size, true, {}}; }

inline Leaf scalar_leaf(const std::string &path, int parameter, const Element &element, int offset = 0) {
  Leaf leaf;
  leaf.path = path;
  leaf.origin = "parameter";
  leaf.parameter = parameter;
  leaf.kind = "scalar";
  leaf.offset = offset;
  leaf.element = element;
  leaf.access = "read";
  return leaf;
}

inline Leaf pointer_leaf(const std::string &path, int parameter, const std::string &pointer_type, const Element &element,
                         const std::string &access, const std::optional<Polynomial> &extent) {
  Leaf leaf = scalar_leaf(path, parameter, element);
  leaf.kind = "pointer";
  leaf.pointer_type = pointer_type;
  leaf.access = access;
  leaf.extent = extent;
  return leaf;
}

inline Leaf global_leaf(const std::string &path, const std::string &symbol, const Element &element, const std::string &access) {
  Leaf leaf = scalar_leaf(path, -1, element);
  leaf.origin = "global";
  leaf.symbol = symbol;
  leaf.access = access;
  return leaf;
}

inline Leaf result_leaf(const Element &element) {
  Leaf leaf = scalar_leaf("return", -1, element);
  leaf.origin = "result";
  leaf.access = "write";
  return leaf;
}

// Fills in what follows from the closure's text: where the anchor stands in it and where the kernel ends. `anchor` is the
// kernel's definition up to its `{`; the kernel is the last thing in the closure.
inline void place_anchor(Model &model, const std::string &anchor) {
  auto at = model.closure.text.find(anchor);
  model.closure.anchor_offset = static_cast<long>(at);
  model.closure.anchor_length = static_cast<long>(anchor.size());
  model.closure.kernel_end =
      static_cast<long>(model.closure.text.rfind('}', model.closure.text.rfind("} // namespace") - 1)) + 1;
  model.anchor = {model.file, static_cast<long>(at), static_cast<long>(anchor.size()), model.line, hash_of(anchor), anchor};
  model.closure.files = {{model.file, hash_of(model.closure.text)}};
}

inline Polynomial symbol(const std::string &name) { return Polynomial::symbol(name); }

// A five-point stencil: a struct by reference, two arrays, a helper and a macro from the command line.
inline Model stencil() {
  Model model;
  model.name = "heat::diffuse";
  model.slug = "heat.diffuse";
  model.target = "heat";
  model.signature = "void heat::diffuse(const Grid &, const double *, double *)";
  model.return_type = "void";
  model.linkage = "external";
  model.file = "/src/kernels.cpp";
  model.line = 12;
  model.namespaces = {"heat"};
  model.compile = {"g++", "/tmp", {"-O2", "-std=gnu++17", "-DSCALE=2"}, true, {{"SCALE", "2"}}};
  model.closure.text =
      "#include <cmath>\n"
      "namespace heat {\n"
      "struct Grid {\n"
      "  int nx, ny;\n"
      "  double alpha;\n"
      "};\n"
      "static inline double weight(double alpha) { return alpha / SCALE; }\n"
      "void diffuse(const Grid &g, const double *u, double *next) {\n"
      "  for (int i = 1; i < g.nx - 1; ++i)\n"
      "    for (int j = 1; j < g.ny - 1; ++j)\n"
      "      next[j * g.nx + i] = u[j * g.nx + i] + weight(g.alpha) * (u[j * g.nx + i - 1] + u[j * g.nx + i + 1] +\n"
      "                           u[(j - 1) * g.nx + i] + u[(j + 1) * g.nx + i] - 4 * u[j * g.nx + i]);\n"
      "}\n"
      "} // namespace heat\n";
  model.closure.includes = {"<cmath>"};
  model.parameters = {{"g", "const heat::Grid &", "reference", "heat::Grid", 16, 8, {0, 1, 2}},
                      {"u", "const double *", "value", "const double *", 8, 8, {3}},
                      {"next", "double *", "value", "double *", 8, 8, {4}}};
  auto cells = symbol("g.nx") * symbol("g.ny");
  model.leaves = {scalar_leaf("g.nx", 0, integer_element(), 0), scalar_leaf("g.ny", 0, integer_element(), 4),
                  scalar_leaf("g.alpha", 0, float_element(), 8),
                  pointer_leaf("u", 1, "const double *", float_element(), "read", cells),
                  pointer_leaf("next", 2, "double *", float_element(), "write", cells)};
  place_anchor(model, "void diffuse(const Grid &g, const double *u, double *next) {");
  return model;
}

// A matrix product C = alpha * A * B in an unnamed namespace, which counts its calls in a global and returns the trace of C.
inline Model product() {
  Model model;
  model.name = "product";
  model.slug = "product";
  model.target = "linear";
  model.signature = "double product(int, double, const double *, const double *, double *)";
  model.return_type = "double";
  model.linkage = "internal";
  model.file = "/src/linear.cpp";
  model.line = 4;
  model.namespaces = {""};
  model.compile = {"g++", "/tmp", {"-O2", "-std=gnu++17"}, true, {}};
  model.closure.text = "namespace {\n"
                       "int calls = 0;\n"
                       "double product(int n, double alpha, const double *a, const double *b, double *c) {\n"
                       "  ++calls;\n"
                       "  double trace = 0;\n"
                       "  for (int i = 0; i < n; ++i)\n"
                       "    for (int j = 0; j < n; ++j) {\n"
                       "      double sum = 0;\n"
                       "      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];\n"
                       "      c[i * n + j] = alpha * sum;\n"
                       "      if (i == j) trace += c[i * n + j];\n"
                       "    }\n"
                       "  return trace;\n"
                       "}\n"
                       "} // namespace\n";
  auto square = symbol("n") * symbol("n");
  model.parameters = {{"n", "int", "value", "int", 4, 4, {0}},
                      {"alpha", "double", "value", "double", 8, 8, {1}},
                      {"a", "const double *", "value", "const double *", 8, 8, {2}},
                      {"b", "const double *", "value", "const double *", 8, 8, {3}},
                      {"c", "double *", "value", "double *", 8, 8, {4}}};
  model.leaves = {scalar_leaf("n", 0, integer_element()),
                  scalar_leaf("alpha", 1, float_element()),
                  pointer_leaf("a", 2, "const double *", float_element(), "read", square),
                  pointer_leaf("b", 3, "const double *", float_element(), "read", square),
                  pointer_leaf("c", 4, "double *", float_element(), "write", square),
                  global_leaf("calls", "(anonymous namespace)::calls", integer_element(), "readwrite"),
                  result_leaf(float_element())};
  place_anchor(model, "double product(int n, double alpha, const double *a, const double *b, double *c) {");
  return model;
}

} // namespace kopt::fixture
