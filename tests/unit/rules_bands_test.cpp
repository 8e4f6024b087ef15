// Bands: how far sweeps must lag and bands must move, and what cannot go in bands.
#include "propose/rules/band.h"
#include "propose/rules/rules.h"
#include "rules_harness.h"
#include "rules_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt::fixture {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

const Polynomial n = sym("n"), i = sym("i"), j = sym("j"), t = sym("t");

class BandsTest : public testing::Test {
protected:
  Model model = model_with({"A", "B"});
  Machine machine;
  Integers integers;
  Names names{""};
  std::vector<Refusal> refusals;

  std::optional<Banded> found_in(const Node &root) {
    return bands_of(root, {}, Workshop{model, machine, integers, names, refusals});
  }
};

Node rows(const std::string &id, const Polynomial &first, const Polynomial &last, std::vector<Access> accesses) {
  return loop("i", first, last, {loop("j", 0, n, {statement(id, std::move(accesses))})});
}

TEST_F(BandsTest, MoveBackAsFarAsNeighboursReach) {
  const Node root = loop(
      "t", 0, n,
      {rows("S0", 2, n - 2, {access("B", "write", {i, j}), access("A", "read", {i - 2, j}), access("A", "read", {i + 2, j})}),
       rows("S1", 2, n - 2, {access("A", "write", {i, j}), access("B", "read", {i, j})})});
  const auto found = found_in(root);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->skew, 4); // two rows for the lag of the second sweep, two for the neighbours in the next step
  EXPECT_EQ(found->sweeps[0].row, i);
  EXPECT_EQ(found->sweeps[1].row, i + 2);
}

TEST_F(BandsTest, StandStillInAnElimination) {
  const Node pivot = loop("j", t + 1, n, {statement("S0", {access("A", "update", {t, j}), access("A", "read", {t, t})})});
  const Node rest = loop(
      "i", t + 1, n,
      {loop("j", t + 1, n,
            {statement("S1", {access("A", "update", {i, j}), access("A", "read", {i, t}), access("A", "read", {t, j})})})});
  const Node root = loop("t", 0, n, {pivot, rest});
  const auto found = found_in(root);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->skew, 0);
  EXPECT_FALSE(found->sweeps[0].follows_rows);
  EXPECT_EQ(found->sweeps[0].row, t);
}

TEST_F(BandsTest, RefuseASweepThatComesBack) {
  const Node root = loop("t", 0, n,
                         {rows("S0", 1, n, {access("A", "update", {i, j}), access("A", "read", {i - 1, j})}),
                          rows("S1", 1, n, {access("A", "update", {n - i, j}), access("A", "read", {n - i + 1, j})})});
  EXPECT_FALSE(found_in(root));
  EXPECT_THAT(refusals, Contains(Field(&Refusal::technique, "row bands")));
}

TEST_F(BandsTest, AreNotForRowsThatOneStepFinishes) {
  const Node root = loop("t", 0, n,
                         {loop("j", 0, n, {statement("S0", {access("B", "write", {t, j}), access("A", "read", {t, j})})}),
                          loop("i", 0, n, {statement("S1", {access("A", "write", {t, i}), access("B", "read", {t, i})})})});
  EXPECT_FALSE(found_in(root));
  EXPECT_TRUE(refusals.empty());
}

TEST(RowBands, GuardTheirRowNumbersAndKeepEveryOrder) {
  for (const char *name : {"jacobi", "elimination"}) {
    const auto proposals = Rules().propose(model_named(name), 0);
    ASSERT_TRUE(proposals);
    const auto is_banded = testing::AllOf(HasSubstr("row bands"), Not(HasSubstr("another order")));
    EXPECT_THAT(proposals->proposals, Contains(Field(&Proposal::summary, is_banded))) << name;
    for (const Proposal &proposal : proposals->proposals) {
      const bool banded = proposal.summary.find("row bands") != std::string::npos;
      EXPECT_TRUE(!banded || proposal.variant.plan.find("<= 1000000000") != std::string::npos) << proposal.variant.plan;
    }
  }
}

} // namespace
} // namespace kopt::fixture
