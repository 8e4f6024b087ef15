// Fragment: the text of a variant around its body: what it is, its tunable macros, and the function with the kernel's
// parameters.
#pragma once

#include "propose/proposer.h"
#include "propose/rules/alias.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kopt {

// What `__restrict__` on pointer parameters needs, over the whole kernel.
struct Restriction {
  std::set<std::string> parameters;
  DisjointPairs assumed;
};

// Nothing, with `reason`, where some memory may overlap that no guard can tell apart, or where the kernel has parts that are
// not modelled.
[[nodiscard]] std::optional<Restriction> restriction_of(const Model &model, Refusal &refusal);

[[nodiscard]] std::string fragment_text(const Model &model, const std::string &summary,
                                        const std::vector<ParameterRange> &tunables, const std::set<std::string> &restricted,
                                        const std::string &body);

} // namespace kopt
