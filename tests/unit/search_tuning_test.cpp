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

TEST(Tuning, NamesWhatTheApplicationRefuted) {
  SweepResult result;
  result.trials = {trial("a", VerdictKind::Slower), trial("b", VerdictKind::Slower, "refuted in the application on d: why")};
  EXPECT_EQ(why_the_others_failed(result), "1 refuted (refuted in the application on d: why), 1 slower");
}

TEST(Tuning, SaysWhyThereIsNothingToPropose) {
  Model model;
  EXPECT_EQ(why_nothing(model, {}), "it has no loop to work on");
  Node loop;
  loop.kind = Node::Kind::Loop;
  model.body = {loop};
  EXPECT_EQ(why_nothing(model, {}), "its loops leave nothing to rearrange");
  Node opaque;
  opaque.reason = "while loop";
  opaque.line = 12;
  model.body[0].body = {opaque};
  EXPECT_EQ(why_nothing(model, {}), "while loop (line 12)");
  EXPECT_EQ(why_nothing(model, {{"interchange", "S0 carries a dependence", 7}}), "S0 carries a dependence (line 7)");
}

} // namespace
} // namespace kopt
