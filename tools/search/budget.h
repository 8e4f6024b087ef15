// Budget: how many candidates may still be judged, and until when. Whichever ends first ends the search.
#pragma once

#include "core/clock.h"

#include <chrono>

namespace kopt {

class Budget {
public:
  Budget(const Clock &clock, double seconds, long evaluations)
      : clock_(clock),
        deadline_(clock.now() + std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds))),
        evaluations_(evaluations) {}

  [[nodiscard]] bool spent() const { return evaluations_ <= 0 || clock_.now() >= deadline_; }
  [[nodiscard]] long evaluations_left() const { return evaluations_; }
  void spend() { --evaluations_; }

private:
  const Clock &clock_;
  std::chrono::nanoseconds deadline_;
  long evaluations_;
};

} // namespace kopt
