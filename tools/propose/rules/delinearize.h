// Delinearize: recovers the dimensions of arrays that are addressed by hand: u[j * nx + i] is u[j][i] with rows of nx elements.
// That is right only where every inner subscript stays within its dimension. This is proven here for each access, or a
// condition over the kernel's sizes is found under which it holds, for a guard to check; where neither can be done, the access
// may touch any element.
#pragma once

#include "propose/rules/integers.h"
#include "propose/rules/nest.h"

#include <map>
#include <optional>
#include <vector>

namespace kopt {

using Subscripts = std::vector<Polynomial>; // outermost dimension first

class Delinearization {
public:
  // Of all accesses below `nodes`, where `context` holds.
  // `sizes` are scalars that a guard can read.
  Delinearization(const Nodes &nodes, const std::vector<Polynomial> &context, Integers &integers,
                  const std::set<std::string> &sizes = {});

  // Two accesses to one array touch the same element exactly where all their subscripts are equal. Nothing: it may be any
  // element.
  [[nodiscard]] const std::optional<Subscripts> &subscripts(const Access &access) const;

  // What the subscripts rest on: all of these are >= 0.
  [[nodiscard]] const std::set<Polynomial> &required() const { return required_; }

private:
  std::set<Polynomial> required_;
  std::map<const Access *, std::optional<Subscripts>> recovered_;
};

// The strides of a family of subscripts: monomials of symbols that multiply a loop variable, each dividing the next, first the
// empty one (stride 1). Nothing where they do not form such a chain, or where loop variables are multiplied with each other.
[[nodiscard]] std::optional<std::vector<Polynomial::Monomial>> strides_of(const std::vector<Polynomial> &subscripts,
                                                                          const std::set<std::string> &loop_variables);

// The subscript split along the strides, outermost first: the sum of result[k] * stride[k] is the subscript.
[[nodiscard]] Subscripts split_along(const Polynomial &subscript, const std::vector<Polynomial::Monomial> &strides,
                                     const std::set<std::string> &loop_variables);

} // namespace kopt
