// Shapes: the techniques that cut loops into pieces. Each is made for a loop of the final nodes of a variant, and only where it
// is legal.
#pragma once

#include "propose/rules/scheduler.h"
#include "propose/rules/writer.h"

#include <memory>
#include <optional>
#include <span>

namespace kopt {

struct Shaped {
  const Node *loop = nullptr; // where it applies
  std::vector<const Node *> covered; // nodes after it in its list that the shape prints as well
  std::unique_ptr<Shape> shape;
  std::string technique;
  bool reorders_reduction = false;
  DisjointPairs assumed;
  std::vector<ParameterRange> tunables;
  std::vector<std::string> guards; // conditions of the plan
};

// Blocks of iterations of one or two outer loops run side by side inside the loops that accumulate: register blocking, and
// accumulating a block of columns.
enum class Blocking { Columns, Registers };
[[nodiscard]] std::optional<Shaped> block(const Node &root, const std::vector<Polynomial> &context, Blocking blocking,
                                          const Workshop &workshop);

// Several partial accumulators for a reduction, one per lane.
[[nodiscard]] std::optional<Shaped> lanes(const Node &loop, const std::vector<Polynomial> &context, const Workshop &workshop);

// Tiles in registers, packed operands: the form in which a contraction runs at the speed of arithmetic.
[[nodiscard]] std::optional<Shaped> contract(const Node &root, const std::vector<Polynomial> &context,
                                             const Workshop &workshop);

// Strips of a loop with a long body, statement by statement.
[[nodiscard]] std::optional<Shaped> strip(const Node &loop, const std::vector<Polynomial> &context, const Workshop &workshop);
// The shape of a contraction, and its parameters.
struct Contraction;
[[nodiscard]] Shaped shape_of(Contraction contraction, const Workshop &workshop);

// Tiles of a matrix that an elimination takes through all steps, most of them as a contraction.
[[nodiscard]] std::optional<Shaped> eliminate(const Node &root, const std::vector<Polynomial> &context,
                                              const Workshop &workshop);

// A band of rows goes through all steps before the next.
[[nodiscard]] std::optional<Shaped> bands(const Node &root, const std::vector<Polynomial> &context, const Workshop &workshop);

// Tiles of all loops of a perfect nest.
[[nodiscard]] std::optional<Shaped> tile(const Node &root, const std::vector<Polynomial> &context, const Workshop &workshop);

// All instances of a run of nodes in an order of their own: loops fused or split, lagging behind each other, and cut into tiles
// across time steps.
[[nodiscard]] std::optional<Shaped> reschedule(std::span<const Node> run, Fusion fusion, const TileSizes &tiles,
                                               const Workshop &workshop);

} // namespace kopt
