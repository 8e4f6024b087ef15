#include "search/sweep.h"

#include <cmath>
#include <gtest/gtest.h>

namespace kopt {
namespace {

// Judges by a made-up law: the variant's text is its speedup; tile sizes near 64 are better; "wrong" is incorrect.
class LawEvaluator final : public Evaluator {
public:
  bool fail_full = false;
  long quick = 0, full = 0;
  Verdict evaluate(const Variant &variant, Thoroughness thoroughness) override {
    ++(thoroughness == Thoroughness::Quick ? quick : full);
    Verdict verdict;
    if (variant.text == "wrong") {
      verdict.kind = VerdictKind::Incorrect;
      return verdict;
    }
    verdict.speedup = std::stod(variant.text);
    if (const auto tile = variant.parameters.find("TILE"); tile != variant.parameters.end())
      verdict.speedup *= 2 - std::abs(std::log2(std::stod(tile->second)) - 6) / 4;
    verdict.kind = verdict.speedup > 1.02 ? VerdictKind::Faster : VerdictKind::Slower;
    if (thoroughness == Thoroughness::Full && fail_full) verdict.kind = VerdictKind::Inconclusive;
    return verdict;
  }
};

Proposal proposal(const std::string &text, std::vector<ParameterRange> tunables = {}) {
  Proposal result;
  result.variant.text = text;
  result.tunables = std::move(tunables);
  return result;
}

SweepResult sweep(Evaluator &evaluator, const std::vector<Proposal> &proposals, long evaluations = 100) {
  FakeClock clock;
  Budget budget(clock, 60, evaluations);
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

} // namespace
} // namespace kopt
