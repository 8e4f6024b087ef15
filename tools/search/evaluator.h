// Evaluator: what a strategy needs to know about a candidate, and nothing else. Tests give strategies a fake one.
#pragma once

#include "core/variant.h"
#include "core/verdict.h"

namespace kopt {

// Quick: correct on every case, a few timed pairs; for ranking. Full: held-out cases, narrow interval, measured twice; for
// accepting.
enum class Thoroughness { Quick, Full };

class Evaluator {
public:
  virtual ~Evaluator() = default;
  // Every failure of the candidate is a verdict; there is no other outcome.
  virtual Verdict evaluate(const Variant &variant, Thoroughness thoroughness) = 0;
};

} // namespace kopt
