#include "search/sweep.h"

#include "search_fixture.h"

#include <set>

namespace kopt {
namespace {

using fixture::LawEvaluator;
using fixture::proposal;

SweepResult sweep(Evaluator &evaluator, const std::vector<Proposal> &proposals, long evaluations = 100, double seconds = 60) {
  FakeClock clock;
  Budget budget(clock, seconds, evaluations);
  return Sweep(evaluator, budget, [](const Trial &) {}).run(proposals);
}

TEST(Sweep, AcceptsTheBestAfterAFullJudgement) {
  LawEvaluator evaluator;
  const SweepResult result = sweep(evaluator, {proposal("1.5"), proposal("wrong"), proposal("3"), proposal("0.5")});
  ASSERT_TRUE(result.accepted);
  EXPECT_EQ(result.accepted->variant.text, "3");
  EXPECT_EQ(result.accepted->thoroughness, Thoroughness::Full);
  EXPECT_EQ(evaluator.full, 1);
}

TEST(Sweep, ExploresParametersOfTheBest) {
  LawEvaluator evaluator;
  const SweepResult result = sweep(evaluator, {proposal("1.5", {{"TILE", {"8", "16", "32", "64", "128"}}})});
  ASSERT_TRUE(result.accepted);
  EXPECT_EQ(result.accepted->variant.parameters.at("TILE"), "64");
  EXPECT_EQ(evaluator.quick, 5); // no setting judged twice
}

TEST(Sweep, KeepsToTheNumberOfEvaluations) {
  LawEvaluator evaluator;
  const SweepResult result =
      sweep(evaluator, {proposal("1.1", {{"TILE", {"1", "2", "4", "8", "16"}}}), proposal("1.2"), proposal("1.3")}, 4);
  EXPECT_LE(result.trials.size(), 4U);
  EXPECT_TRUE(result.accepted);
}

TEST(Sweep, NothingFasterMeansNothingAccepted) {
  LawEvaluator evaluator;
  EXPECT_FALSE(sweep(evaluator, {proposal("0.9"), proposal("wrong")}).accepted);
  evaluator.fail_full = true;
  EXPECT_FALSE(sweep(evaluator, {proposal("2"), proposal("3"), proposal("4"), proposal("5")}).accepted);
  EXPECT_EQ(evaluator.full, 3); // gives up after the finalists
}

TEST(Sweep, JudgesAProposalThatIsMadeTwiceOnce) {
  LawEvaluator evaluator;
  EXPECT_EQ(sweep(evaluator, {proposal("2"), proposal("2")}).trials.size(), 2U); // quick and full
}

TEST(Sweep, StopsAtOnceWhenJudgingFails) {
  LawEvaluator evaluator;
  evaluator.breaks_at = 2;
  const SweepResult result = sweep(evaluator, {proposal("2"), proposal("3"), proposal("4"), proposal("5")});
  ASSERT_TRUE(result.stopped);
  EXPECT_EQ(result.stopped->what, "the disk is full");
  EXPECT_FALSE(result.accepted);
  EXPECT_EQ(result.trials.size(), 2U);
  EXPECT_EQ(evaluator.full, 0);
}

TEST(Sweep, WhatIsKnownNeedsNoTime) {
  // Knows what was judged before the search was cut short.
  struct Remembering final : Evaluator {
    LawEvaluator law;
    std::set<std::string> before;
    Result<Verdict> evaluate(const Variant &variant, Thoroughness thoroughness) override {
      return law.evaluate(variant, thoroughness);
    }
    [[nodiscard]] Result<std::optional<Verdict>> known(const Variant &variant, Thoroughness thoroughness) const override {
      if (!before.contains(variant.hash()) || thoroughness == Thoroughness::Full) return std::optional<Verdict>();
      return std::optional<Verdict>(LawEvaluator().evaluate(variant, thoroughness).value());
    }
  } evaluator;
  const std::vector<Proposal> proposals = {proposal("2", {{"TILE", {"32", "64"}}}), proposal("3")};
  for (const Trial &trial : sweep(evaluator, proposals).trials) evaluator.before.insert(trial.variant.hash());
  evaluator.law.quick = 0;
  const SweepResult result = sweep(evaluator, proposals, 100, 0); // the time was up when it was cut short
  ASSERT_TRUE(result.accepted);
  EXPECT_EQ(result.accepted->variant.parameters.at("TILE"), "64");
  EXPECT_EQ(evaluator.law.quick, 0);
}

} // namespace
} // namespace kopt
