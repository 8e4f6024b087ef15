// Formula: the arithmetic of a statement as a tree: `@0 += alpha * @1 * @2;` has the value `alpha * @1 * @2`, whose factor
// `alpha * @1` can be found, moved and printed again, with its parentheses, so that no rounding changes.
#pragma once

#include "propose/rules/nest.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

struct Formula {
  enum class Kind { Hole, Atom, Sign, Group, Operation };
  Kind kind = Kind::Atom;
  int hole = -1;                 // Hole: number of the access
  std::string text;              // Atom: a name or a literal; Sign and Operation: + - * /
  std::vector<Formula> operands; // Sign, Group: one; Operation: two

  // A replacement for a part, or nothing to print its parts.
  using Spell = std::function<std::optional<std::string>(const Formula &)>;
  [[nodiscard]] std::string print(const Spell &spell) const;
  void visit(const std::function<void(const Formula &)> &see) const;
};

// Nothing where the text is more than names, literals, holes, + - * / and parentheses.
[[nodiscard]] std::optional<Formula> parse_formula(std::string_view text);

// `target += value;` or `target -= value;`, also spelled `target = target + value;`.
struct Accumulation {
  int target = -1; // number of the access that is written
  char sign = '+';
  Formula value;
};
[[nodiscard]] std::optional<Accumulation> accumulation_of(const Node &statement);

// The type of a part's value: "double", "float", or that of the array or scalar it consists of. Nothing where it is not known.
[[nodiscard]] std::optional<std::string> type_of(const Formula &part, const Node &statement, const Model &model);

} // namespace kopt
