// JournaledEvaluator: asks the journal first, and writes every evaluation to it, before it is made and when its verdict is
// known.
#pragma once

#include "core/clock.h"
#include "core/interruption.h"
#include "search/evaluator.h"
#include "search/journal.h"

namespace kopt {

class JournaledEvaluator final : public Evaluator {
public:
  // `interruption` may be null.
  JournaledEvaluator(Evaluator &evaluator, Journal &journal, long run, const Clock &clock, const Interruption *interruption)
      : evaluator_(evaluator), journal_(journal), run_(run), clock_(clock), interruption_(interruption) {}

  Result<Verdict> evaluate(const Variant &variant, Thoroughness thoroughness) override;
  [[nodiscard]] Result<std::optional<Verdict>> known(const Variant &variant, Thoroughness thoroughness) const override;

private:
  Evaluator &evaluator_;
  Journal &journal_;
  long run_;
  const Clock &clock_;
  const Interruption *interruption_;
};

} // namespace kopt
