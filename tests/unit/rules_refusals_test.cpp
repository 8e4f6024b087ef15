// Refusals: what the rules leave alone, and that they say why.
#include "rules_harness.h"

#include "propose/rules/rules.h"
#include "propose/rules/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt::fixture {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

Proposals proposals_for(const Model &model) {
  auto proposals = Rules().propose(model, 0);
  EXPECT_TRUE(proposals);
  return proposals ? *proposals : Proposals{};
}

std::vector<std::string> summaries(const Proposals &proposals) {
  std::vector<std::string> all;
  for (const Proposal &proposal : proposals.proposals) all.push_back(proposal.summary);
  return all;
}

TEST(Refusals, NameTheStatementThatStopsAnInterchange) {
  const Proposals proposals = proposals_for(model_named("shift_in_place"));
  EXPECT_THAT(summaries(proposals), Not(Contains(HasSubstr("interchange"))));
  EXPECT_THAT(proposals.refusals,
              Contains(testing::AllOf(Field(&Refusal::technique, "interchange"), Field(&Refusal::line, 4),
                                      Field(&Refusal::reason, HasSubstr("u[j * nx + i] = 0.5 * u[(j - 1) * nx + i + 1];")))));
}

TEST(Refusals, DoNotCallAnInPlaceSweepIndependent) {
  const Proposals proposals = proposals_for(model_named("gauss_seidel"));
  for (const Proposal &proposal : proposals.proposals) EXPECT_THAT(proposal.variant.text, Not(HasSubstr("ivdep")));
  EXPECT_THAT(proposals.refusals, Contains(Field(&Refusal::technique, "independent iterations")));
}

TEST(Refusals, LeaveIndirectUpdatesAlone) {
  const Proposals proposals = proposals_for(model_named("histogram"));
  EXPECT_THAT(summaries(proposals), testing::IsEmpty());
  EXPECT_THAT(proposals.refusals, Contains(Field(&Refusal::reason, HasSubstr("count[bin[i]]"))));
}

TEST(Refusals, LeaveOpaqueStatementsAlone) {
  const Proposals proposals = proposals_for(model_named("while_loop"));
  EXPECT_THAT(summaries(proposals), testing::IsEmpty());
  EXPECT_THAT(proposals.refusals, Contains(Field(&Refusal::reason, HasSubstr("while loop"))));
}

TEST(Refusals, NothingIsAssumedWithoutAnExtent) {
  Model model = model_named("stencil_strided");
  for (Leaf &leaf : model.leaves) leaf.extent.reset();
  const Proposals proposals = proposals_for(model);
  EXPECT_THAT(summaries(proposals), testing::IsEmpty());
  EXPECT_THAT(proposals.refusals, Contains(Field(&Refusal::reason, HasSubstr("no extent is known"))));
}

TEST(Rules, EndTheDotProductFormOfAProductInBlocksAndInRows) {
  const Proposals proposals = proposals_for(model_named("matmul_dot"));
  EXPECT_THAT(summaries(proposals), testing::IsSupersetOf({"register blocking, restrict",
                                                           "accumulation in place, distribution and interchange, restrict"}));
  for (const Proposal &proposal : proposals.proposals)
    EXPECT_THAT(proposal.variant.plan, HasSubstr("require disjoint(A[0 : inner * rows], C[0 : columns * rows])"));
}

TEST(Rules, HaveNothingMoreToSayInALaterRound) {
  const auto proposals = Rules().propose(model_named("matmul"), 1);
  ASSERT_TRUE(proposals);
  EXPECT_TRUE(proposals->proposals.empty());
}

TEST(Words, ReplacesWordsOnly) {
  EXPECT_EQ(replace_words("sum += s.sum + sums * f(sum, \"sum\"); // sum", {{"sum", "x[i]"}}),
            "x[i] += s.sum + sums * f(x[i], \"sum\"); // sum");
  EXPECT_EQ(fill_holes("@0 = @1 * @10;", {"a", "b"}), "a = b * ;");
}

// Rows may be shorter than the loops: then the kernel runs as it was written.
TEST(Proposals, AreGuardedWhereSubscriptsMayLeaveTheirRow) {
  const auto proposals = Rules().propose(fixture::model_named("fields"), 0);
  ASSERT_TRUE(proposals && !proposals->proposals.empty());
  EXPECT_THAT(proposals->proposals.front().summary, HasSubstr("interchange"));
  EXPECT_THAT(proposals->proposals.front().variant.plan, HasSubstr("require -columns + in.columns >= 0"));
  EXPECT_THAT(proposals->proposals.front().variant.plan, HasSubstr("require -columns + out.columns >= 0"));
}

TEST(Proposals, SayWhereRoundingMayChangeByFusing) {
  Model model = fixture::model_named("transpose");
  model.compile.arguments = {"-O3", "-march=haswell"};
  const std::string change = "may fuse other products and sums";
  EXPECT_THAT(proposals_for(model).proposals.front().variant.precision, Contains(change));
  model.compile.arguments.emplace_back("-ffp-contract=off");
  EXPECT_THAT(proposals_for(model).proposals.front().variant.precision, Not(Contains(change)));
  model.compile.arguments = {"-O3"};
  EXPECT_THAT(proposals_for(model).proposals.front().variant.precision, Not(Contains(change)));
}

} // namespace
} // namespace kopt::fixture
