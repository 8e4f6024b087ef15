// Rescheduling: which kernels get a new order, and what keeps others from it. That the new orders compute the same is tested
// with all other variants (rules_variants_test.cpp).
#include "rules_harness.h"
#include "rules_nodes.h"

#include "propose/rules/instances.h"
#include "propose/rules/rules.h"
#include "propose/rules/scheduler.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt::fixture {
namespace {

constexpr const char *across_steps = "loop fusion and tiling over time steps";

const Proposal *proposal_with(const Proposals &proposals, const std::string &pattern) {
  for (const Proposal &proposal : proposals.proposals)
    if (std::count(proposal.variant.patterns.begin(), proposal.variant.patterns.end(), pattern) > 0) return &proposal;
  return nullptr;
}

TEST(Reschedule, TilesOverTimeSteps) {
  for (const char *name : {"time_steps", "waves_in_time", "guarded_steps"}) {
    const auto proposals = Rules().propose(model_named(name), 0);
    ASSERT_TRUE(proposals);
    const Proposal *found = proposal_with(*proposals, across_steps);
    ASSERT_TRUE(found) << name;
    EXPECT_THAT(found->variant.plan, testing::HasSubstr("require n >= -67108864 and n <= 67108864\n"));
  }
}

TEST(Reschedule, SplitsInnermostLoopsBetweenStatements) {
  const auto proposals = Rules().propose(model_named("time_steps"), 0);
  ASSERT_TRUE(proposals);
  const Proposal *found = proposal_with(*proposals, across_steps);
  ASSERT_TRUE(found);
  // Between the two statements an innermost loop ends: each is a loop of its own.
  const std::string &text = found->variant.text;
  const size_t compute = text.find("next[i] ="), copy = text.find("u[j] =", compute);
  ASSERT_NE(copy, std::string::npos);
  EXPECT_NE(text.substr(compute, copy - compute).find("for ("), std::string::npos) << text;
}

TEST(Instances, KeepTogetherWhatSharesAScalar) {
  const Model model = model_named("guarded_steps");
  const auto instances = instances_of(model.body);
  ASSERT_TRUE(instances);
  ASSERT_EQ(instances->units.size(), 2U);
  EXPECT_EQ(instances->units[0].nodes.size(), 3U); // the declaration, the condition, the use
  EXPECT_EQ(instances->units[0].loops.size(), 2U);
}

TEST(Instances, RefuseAScalarThatLivesAcrossInnerLoops) {
  const auto instances = instances_of(model_named("matmul_dot").body);
  ASSERT_FALSE(instances);
  EXPECT_THAT(instances.error().message(), testing::HasSubstr("a scalar of a loop's own lives across its inner loops"));
}

Timetable one_statement() {
  Timetable table;
  table.domain = "[n] -> { S0[i] : 0 <= i < n }";
  table.orders = "[n] -> { S0[s] -> S0[t] : 0 <= s < n and t = s + 1 and t < n }";
  table.reuse = "[n] -> { }";
  table.context = "[n] -> { : }";
  table.contiguous = {{"S0", 0}};
  table.iterators = {"c0", "c1", "c2", "c3"};
  table.least = "least", table.most = "most", table.floor = "rounded_down";
  return table;
}

const Scan *find_loop(const Scan &scan) {
  if (scan.kind == Scan::Kind::Loop) return &scan;
  for (const Scan &inner : scan.body)
    if (const Scan *found = find_loop(inner)) return found;
  return nullptr;
}

TEST(Scheduler, SaysWhichLoopsCarryNothing) {
  Timetable table = one_statement();
  const auto chained = schedule(table, Fusion::Most, {});
  ASSERT_TRUE(chained);
  ASSERT_TRUE(find_loop(*chained));
  EXPECT_FALSE(find_loop(*chained)->independent);
  table.orders = "[n] -> { }";
  const auto free = schedule(table, Fusion::Most, {});
  ASSERT_TRUE(free);
  EXPECT_TRUE(find_loop(*free)->independent);
}

TEST(Scheduler, SaysThatThereIsNoOrder) {
  Timetable table = one_statement();
  table.orders = "[n] -> { S0[s] -> S0[t] : 0 <= s < n and 0 <= t < n and s != t }"; // a circle
  const auto none = schedule(table, Fusion::Most, {});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message(), testing::HasSubstr("isl finds no schedule"));
}

} // namespace
} // namespace kopt::fixture
