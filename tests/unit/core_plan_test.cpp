#include "core/plan.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

TEST(Plan, ReadsGuardsAndCall) {
  const auto plan = Plan::parse(
      "# why\nrequire disjoint(u[0 : g.nx * g.ny], v[0 : n]) and n % 4 == 0\nrequire aligned(u, 16)\ncall fast\n", "plan.txt");
  ASSERT_TRUE(plan) << plan.error().message();
  ASSERT_EQ(plan->guards.size(), 3U);
  EXPECT_EQ(plan->guards[0].kind, Guard::Kind::Disjoint);
  EXPECT_EQ(plan->guards[0].spans[1].pointer, "v");
  EXPECT_EQ(plan->guards[1].expression.front().text(), "(n % 4) == 0");
  EXPECT_EQ(plan->guards[2].bytes, 16);
  EXPECT_EQ(plan->call, "fast");
  EXPECT_EQ(Plan::parse(plan->text(), "again").value().text(), plan->text());
}

TEST(Plan, AsksForFeaturesOfTheProcessor) {
  const auto plan = Plan::parse("require cpu(avx2) and cpu(fma) and n > 0\n", "plan.txt");
  ASSERT_TRUE(plan) << plan.error().message();
  ASSERT_EQ(plan->guards.size(), 3U);
  EXPECT_EQ(plan->guards[1].kind, Guard::Kind::Cpu);
  EXPECT_EQ(plan->guards[1].feature, "fma");
  EXPECT_EQ(plan->text(), "require cpu(avx2)\nrequire cpu(fma)\nrequire n > 0\ncall kopt_variant\n");
  const auto unknown = Plan::parse("require cpu(warp9)", "plan.txt");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().where, "plan.txt:1");
}

TEST(Plan, OrIsOneGuard) {
  const auto plan = Plan::parse("require n == 1 or n == 2 and m == 3", "plan.txt");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->guards.size(), 1U);
}

TEST(Plan, ErrorsNameTheLine) {
  const auto unknown = Plan::parse("require n > 0\nlaunch foo\n", "plan.txt");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().where, "plan.txt:2");
  EXPECT_FALSE(Plan::parse("require disjoint(u[0 : n])", "p"));
  EXPECT_FALSE(Plan::parse("require disjoint(u, v)", "p"));
  EXPECT_FALSE(Plan::parse("require aligned(u, 12)", "p"));
  EXPECT_FALSE(Plan::parse("call f(); evil", "p"));
}

} // namespace
} // namespace kopt
