// Plan: the guards under which a variant may run, and the call (docs/formats.md, "Plan").
#pragma once

#include "core/expression.h"

#include <string>
#include <vector>

namespace kopt {

struct Span { // p[begin : end], in elements of p
  std::string pointer;
  Expression begin, end;
};

struct Guard {
  enum class Kind { Expression, Disjoint, Aligned, Cpu };
  Kind kind = Kind::Expression;
  std::vector<Expression> expression; // one, for Expression
  std::vector<Span> spans;            // Disjoint
  std::string pointer;                // Aligned
  std::int64_t bytes = 0;
  std::string feature; // Cpu
};

struct Plan {
  std::vector<Guard> guards;
  std::string call = "kopt_variant";

  static Result<Plan> parse(std::string_view text, const std::string &where);
  [[nodiscard]] std::string text() const;
};

} // namespace kopt
