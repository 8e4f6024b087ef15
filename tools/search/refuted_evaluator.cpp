#include "search/refuted_evaluator.h"

#include "core/hash.h"

#include <fmt/format.h>

namespace kopt {

Result<Verdict> RefutedEvaluator::evaluate(const Variant &variant, Thoroughness thoroughness) {
  for (const Refutation &refutation : refuted_) {
    if (refutation.variant_hash != hash_of(variant.text) || refutation.plan_hash != hash_of(variant.plan) ||
        refutation.parameters != variant.parameters)
      continue;
    Verdict verdict;
    verdict.kind = VerdictKind::Slower;
    verdict.reason = fmt::format("{} on {}: {}", label, refutation.date, refutation.reason);
    return verdict;
  }
  return evaluator_.evaluate(variant, thoroughness);
}

} // namespace kopt
