#include "search/tuning.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

Trial trial(const std::string &text, VerdictKind kind, const std::string &reason = "") {
  Trial result;
  result.variant.text = text;
  result.verdict.kind = kind;
  result.verdict.reason = reason;
  return result;
}

TEST(Tuning, CountsWhyTheOthersFailedAndGivesTheReasonOfDefects) {
  SweepResult result;
  result.trials = {trial("a", VerdictKind::Slower), trial("b", VerdictKind::Slower),
                   trial("c", VerdictKind::Incorrect, "wrong at u[3]"), trial("d", VerdictKind::Faster),
                   trial("best", VerdictKind::Faster)};
  result.accepted = result.trials.back();
  EXPECT_EQ(why_the_others_failed(result), "1 incorrect (wrong at u[3]), 1 less fast, 2 slower");
  EXPECT_EQ(why_the_others_failed({}), "-");
}

} // namespace
} // namespace kopt
