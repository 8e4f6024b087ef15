// Variant: what may replace a kernel on the host: a fragment of C++ and a plan, with where it came from. A candidate is a
// Variant under judgement.
#pragma once

#include "core/plan.h"

#include <map>
#include <string>
#include <vector>

namespace kopt {

struct Variant {
  std::string text; // variant.cpp
  std::string plan; // plan.txt
  std::string proposer;
  std::vector<std::string> patterns;             // names of the techniques used, e.g. interchange
  std::map<std::string, std::string> parameters; // values of its tunable macros
  std::vector<std::string> parents;              // hashes
  std::vector<std::string> precision;            // changes of rounding, in words: "adds up sums in another order"

  [[nodiscard]] std::string hash() const; // of text, plan and parameters
};

} // namespace kopt
