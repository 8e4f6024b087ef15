// Affine: spells polynomials for isl. Loop variables are given names of the caller's choice; every other symbol, and every
// product of them (nx * ny), becomes a parameter of its own: isl then proves things for more values than can occur, which is on
// the safe side.
#pragma once

#include "core/polynomial.h"
#include "propose/rules/nest.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace kopt {

class Affine {
public:
  using Variables = std::map<std::string, std::string>; // loop variable -> its name in the set

  // Nothing where a loop variable is multiplied by a symbol.
  [[nodiscard]] std::optional<std::string> spell(const Polynomial &polynomial, const Variables &variables);

  // "p >= 0 and ..." for those constraints that are affine; "true" for none. Leaving one out makes the set larger.
  [[nodiscard]] std::string spell_constraints(const std::vector<Polynomial> &constraints, const Variables &variables);

  // The instances of a statement: bounds, steps and conditions.
  [[nodiscard]] std::string spell_domain(const Place &place, const Variables &variables);

  // "and p3 >= 0 and ..." for those products (nx * ny) whose every factor `is_never_negative`: what makes them products.
  [[nodiscard]] std::string spell_products(const std::function<bool(const std::string &factor)> &is_never_negative) const;

  // "[p0, p1] -> " with the parameters of all that was spelled.
  [[nodiscard]] std::string parameters() const;
  [[nodiscard]] const std::map<Polynomial::Monomial, std::string> &names() const { return parameters_; }

private:
  std::map<Polynomial::Monomial, std::string> parameters_;
};

// The loops' variables named prefix0, prefix1 ...
[[nodiscard]] Affine::Variables name_variables(const Place &place, const std::string &prefix);
// "prefix0, prefix1": the tuple of those names.
[[nodiscard]] std::string tuple_of(const Place &place, const std::string &prefix);

} // namespace kopt
