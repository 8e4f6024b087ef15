// Variants: whatever the rules propose computes what the original computes, for every size, and reads and writes nothing else.
#include "rules_harness.h"

#include "core/plan.h"
#include "propose/rules/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt::fixture {
namespace {

class Variants : public testing::TestWithParam<Subject> {};

TEST_P(Variants, ComputeWhatTheOriginalComputes) {
  const Model model = model_named(GetParam().model);
  auto proposals = Rules().propose(model, 0);
  ASSERT_TRUE(proposals) << proposals.error().message();
  for (const Proposal &proposal : proposals->proposals) {
    const auto plan = Plan::parse(proposal.variant.plan, "plan");
    EXPECT_TRUE(plan) << plan.error().message();
  }
  EXPECT_EQ(output_of(program_for(GetParam(), model, proposals->proposals), GetParam().model), "done\nexit 0\n");
}

INSTANTIATE_TEST_SUITE_P(Models, Variants, testing::ValuesIn(subjects()), [](const auto &entry) { return entry.param.model; });

// The harness must be able to see a wrong variant, and one that reads past an array.
TEST(Harness, SeesWrongVariants) {
  const Subject &subject = subjects().front();
  const Model model = model_named(subject.model);
  Proposal wrong;
  wrong.variant.text = "static inline void kopt_variant(int rows, int columns, const double *data, double *mean) {\n"
                       "  for (int j = 0; j < columns; ++j) mean[j] = rows > 17 ? 1 : 0;\n}\n";
  EXPECT_THAT(output_of(program_for(subject, model, {wrong}), "wrong"), testing::HasSubstr("differs at p = 33, q = 17"));
  Proposal outside;
  outside.variant.text = "static inline void kopt_variant(int rows, int columns, const double *data, double *mean) {\n"
                         "  if (rows > 17 && columns > 0) mean[0] = data[rows * columns];\n}\n";
  EXPECT_THAT(output_of(program_for(subject, model, {outside}), "outside"), testing::HasSubstr("heap-buffer-overflow"));
}

} // namespace
} // namespace kopt::fixture
