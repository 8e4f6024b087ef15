// RefutedEvaluator: what the application has refuted (`kopt validate`) is not judged again: in the MEP it would win again.
#pragma once

#include "core/record.h"
#include "search/evaluator.h"

#include <string>
#include <vector>

namespace kopt {

class RefutedEvaluator final : public Evaluator {
public:
  static constexpr const char *label = "refuted in the application";

  // `refuted`: of this kernel, with the closure as it is now.
  RefutedEvaluator(Evaluator &evaluator, std::vector<Refutation> refuted)
      : evaluator_(evaluator), refuted_(std::move(refuted)) {}
  Result<Verdict> evaluate(const Variant &variant, Thoroughness thoroughness) override;

private:
  Evaluator &evaluator_;
  std::vector<Refutation> refuted_;
};

} // namespace kopt
