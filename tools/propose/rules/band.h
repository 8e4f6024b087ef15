// Bands: a loop over steps (time, or the pivots of an elimination) whose body sweeps the rows of arrays again and again. Where
// every dependence leads to the same or a later row, once rows are renumbered (a few rows later for later sweeps of a step, and
// by `skew` rows for each step), a band of rows can go through all steps before the next band begins: what it touches stays in
// a cache. The renumbered row is the statement's coordinate.
#pragma once

#include "propose/rules/rewrite.h"

namespace kopt {

struct Sweep {
  const Node *node = nullptr;
  bool follows_rows = false; // a loop over rows; otherwise all of it belongs to one row
  Polynomial row;            // its coordinate without skew: the loop's variable or a number, and the shift
};

struct Banded {
  const Node *steps = nullptr;
  std::vector<Sweep> sweeps; // of one step, in order
  int skew = 0;
  DisjointPairs assumed;

  [[nodiscard]] Polynomial coordinate(const Sweep &sweep) const {
    return sweep.row + Polynomial(skew) * Polynomial::symbol(steps->variable);
  }
};

// Nothing where the loop has another form, or where bands would bring nothing. A dependence that always leads back is refused
// by name. Points into `root`.
[[nodiscard]] std::optional<Banded> bands_of(const Node &root, const std::vector<Polynomial> &context,
                                             const Workshop &workshop);

} // namespace kopt
