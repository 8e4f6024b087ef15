// Instances: a run of nodes as what it does one by one: units, each of which runs once for every point of the integer set that
// its loops make. A unit is a statement, several that share a scalar of their own, or a condition with all that depends on it.
#pragma once

#include "propose/rules/dependence.h"

#include <string>
#include <vector>

namespace kopt {

struct Unit {
  std::vector<const Node *> nodes;   // in order
  std::vector<const Node *> loops;   // around them, outermost first
  [[nodiscard]] Place place() const; // without conditions: those are inside
};

struct Instances {
  std::vector<Unit> units; // in the order they run first
  std::map<const Node *, size_t> unit_of;

  // "S0[i0, i1]" with the names that `prefix` begins.
  [[nodiscard]] std::string tuple(size_t unit, const std::string &prefix) const;
};

// An error, naming the line, where some instance set is not exactly known, or a scalar of a loop's own lives across its inner
// loops.
[[nodiscard]] Result<Instances> instances_of(const Nodes &run);

} // namespace kopt
