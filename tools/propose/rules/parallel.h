// Parallel: a nest's outermost loop on several threads, where the application's source is compiled with OpenMP and isl proves
// that no iteration depends on another. Chunks of iterations keep whatever shape the nest has; totals are added up chunk by
// chunk, so that the result does not depend on the number of threads.
#pragma once

#include "propose/rules/shapes.h"

#include <string>
#include <vector>

namespace kopt {

// A total that the nest accumulates in a scalar declared ahead of it.
struct Total {
  std::string scalar, type, op;
};

struct Parallel {
  Node *loop = nullptr;
  std::vector<Total> totals;
  std::string work;       // C++ text: about how many times the innermost statements run, per iteration of the loop
  bool is_uneven = false; // iterations differ in work
  DisjointPairs assumed;

  [[nodiscard]] bool changes_rounding() const;
};

// Nothing where iterations depend on one another, or the loop cannot be cut into chunks.
[[nodiscard]] std::optional<Parallel> parallel(const Nest &nest, const Workshop &workshop);

// Chunks of the loop, each in the shape `inner` or, without one, as it is. Changes the bounds of parallel.loop to those of a
// chunk, so it comes after everything that studies them.
[[nodiscard]] Shaped in_chunks(const Parallel &parallel, std::unique_ptr<Shape> inner, const Workshop &workshop);

// The iterations of the two outer loops dealt out together, for nests without a shape. Nothing where the second is not
// independent as well.
[[nodiscard]] std::optional<Shaped> collapsed(const Parallel &parallel, const Nest &nest, const Workshop &workshop);

} // namespace kopt
