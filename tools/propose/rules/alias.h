// Alias: which leaves of a kernel may share memory, and the guard under which they do not. A variant may assume that two leaves
// are disjoint only where a guard can say so, and a guard needs the extent of both.
#pragma once

#include "core/model.h"

#include <compare>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kopt {

enum class Overlap {
  Never,   // different types of elements, or copies of the caller's values
  Guarded, // possible, and a guard can exclude it
  Possible // possible, and no guard can exclude it
};

// Pairs of leaf paths that are assumed to be disjoint, each pair in alphabetical order.
struct Assumption {
  std::string one, other; // leaves that are disjoint
  std::string condition;  // or, without them, an expression over scalars that holds

  friend auto operator<=>(const Assumption &, const Assumption &) = default;
};
using DisjointPairs = std::set<Assumption>;

class Alias {
public:
  explicit Alias(const Model &model) : model_(model) {}

  // For two different leaves.
  [[nodiscard]] Overlap overlap(const std::string &one, const std::string &other) const;
  // Why `overlap` is Possible, for a refusal.
  [[nodiscard]] std::string why_possible(const std::string &one, const std::string &other) const;

  // "require disjoint(C[0 : n * n], A[0 : n * n])" for each pair.
  [[nodiscard]] std::string guards(const DisjointPairs &pairs) const;

  // Scalars that the kernel reads where the caller keeps them (members of a reference parameter, globals): a write through a
  // pointer could change them.
  [[nodiscard]] std::vector<const Leaf *> shared_scalars() const;

private:
  [[nodiscard]] std::string sizes_guard(const DisjointPairs &pairs) const;
  [[nodiscard]] bool types_may_alias(const Element &one, const Element &other) const;

  const Model &model_;
};

[[nodiscard]] Assumption pair_of(const std::string &one, const std::string &other);

} // namespace kopt
