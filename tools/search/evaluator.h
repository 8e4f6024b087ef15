// Evaluator: what a strategy needs to know about a candidate, and nothing else. Tests give strategies a fake one.
#pragma once

#include "core/error.h"
#include "core/thoroughness.h"
#include "core/variant.h"
#include "core/verdict.h"

#include <optional>

namespace kopt {

class Evaluator {
public:
  virtual ~Evaluator() = default;
  // Every failure of the candidate is a verdict. An Error is a failure of what judges it (a full disk, a compiler that cannot
  // be run) or an interruption: it says nothing about the candidate, and the search must end.
  virtual Result<Verdict> evaluate(const Variant &variant, Thoroughness thoroughness) = 0;
  // What is known without judging. It takes no time, so a search may ask when its time is up.
  [[nodiscard]] virtual Result<std::optional<Verdict>> known(const Variant &, Thoroughness) const {
    return std::optional<Verdict>();
  }
};

} // namespace kopt
