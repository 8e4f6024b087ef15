#include "search/journaled_evaluator.h"

namespace kopt {

Result<std::optional<Verdict>> JournaledEvaluator::known(const Variant &variant, Thoroughness thoroughness) const {
  return journal_.find(run_, variant, thoroughness);
}

Result<Verdict> JournaledEvaluator::evaluate(const Variant &variant, Thoroughness thoroughness) {
  KOPT_TRY(before, known(variant, thoroughness));
  if (before) return *before;
  KOPT_CHECK(check_interruption(interruption_));
  KOPT_CHECK(journal_.begin(run_, variant, thoroughness, clock_.utc()));
  const auto start = clock_.now();
  KOPT_TRY(verdict, evaluator_.evaluate(variant, thoroughness));
  // A verdict reached while the terminal's Ctrl-C hit everything around it is not to be trusted.
  KOPT_CHECK(check_interruption(interruption_));
  const double seconds = std::chrono::duration<double>(clock_.now() - start).count();
  KOPT_CHECK(journal_.record(run_, variant, thoroughness, verdict, seconds, clock_.utc()));
  return verdict;
}

} // namespace kopt
