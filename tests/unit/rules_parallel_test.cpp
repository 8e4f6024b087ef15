// Parallel loops, and wider vectors: what the rules add where the application's flags allow it.
#include "rules_harness.h"

#include "propose/rules/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt::fixture {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<Proposal> proposals_with(const std::string &name, const std::vector<std::string> &arguments,
                                     const std::string &pattern) {
  Model model = model_named(name);
  model.compile.arguments = arguments;
  auto proposals = Rules().propose(model, 0);
  EXPECT_TRUE(proposals) << proposals.error().message();
  std::vector<Proposal> found;
  for (const Proposal &proposal : proposals->proposals)
    for (const std::string &each : proposal.variant.patterns)
      if (each == pattern) found.push_back(proposal);
  return found;
}

std::vector<std::string> texts(const std::vector<Proposal> &proposals) {
  std::vector<std::string> all;
  for (const Proposal &proposal : proposals) all.push_back(proposal.variant.text);
  return all;
}

TEST(ParallelLoops, OnlyWhereTheTargetLinksOpenMP) {
  EXPECT_THAT(proposals_with("matmul", {"-O3"}, "parallel loops"), IsEmpty());
  const auto found = texts(proposals_with("matmul", {"-O3", "-fopenmp"}, "parallel loops"));
  EXPECT_THAT(found, Contains(HasSubstr("#pragma omp parallel for schedule(static) if (")));
  EXPECT_THAT(found, Contains(HasSubstr("collapse(2)")));
  EXPECT_THAT(found, Each(Not(HasSubstr("num_threads"))));
}

TEST(ParallelLoops, NotWhereIterationsDependOnOneAnother) {
  EXPECT_THAT(proposals_with("gauss_seidel", {"-fopenmp"}, "parallel loops"), IsEmpty());
  EXPECT_THAT(proposals_with("shift_in_place", {"-fopenmp"}, "parallel loops"), IsEmpty());
  EXPECT_THAT(proposals_with("histogram", {"-fopenmp"}, "parallel loops"), IsEmpty());
}

TEST(ParallelLoops, AddUpTotalsChunkByChunkAndSaySo) {
  const auto sums = proposals_with("total", {"-fopenmp"}, "parallel loops");
  ASSERT_THAT(sums, Not(IsEmpty()));
  EXPECT_THAT(sums.front().variant.precision, Contains("adds up sums in another order"));
  EXPECT_THAT(sums.front().variant.text, Not(HasSubstr("reduction(")));
  ASSERT_THAT(proposals_with("max_difference", {"-fopenmp"}, "parallel loops"), Not(IsEmpty()));
}

class ParallelVariants : public testing::TestWithParam<Subject> {};

TEST_P(ParallelVariants, ComputeWhatTheOriginalComputes) {
  const auto proposals = proposals_with(GetParam().model, {"-O3", "-march=native", "-fopenmp"}, "parallel loops");
  EXPECT_EQ(output_of(program_for(GetParam(), model_named(GetParam().model), proposals), "parallel-" + GetParam().model),
            "done\nexit 0\n");
}

std::vector<Subject> some_subjects() {
  std::vector<Subject> some;
  for (const Subject &subject : subjects())
    for (const char *name : {"matmul", "total", "max_difference", "stencil", "triangular"})
      if (subject.model == name) some.push_back(subject);
  return some;
}
INSTANTIATE_TEST_SUITE_P(Models, ParallelVariants, testing::ValuesIn(some_subjects()),
                         [](const auto &entry) { return entry.param.model; });

TEST(WiderVectors, OnlyWhereTheFlagsLeaveThemOut) {
  EXPECT_THAT(proposals_with("stencil", {"-O3", "-march=native"}, "avx2"), IsEmpty());
#if defined(__x86_64__)
  const auto wide = proposals_with("stencil", {"-O3"}, "avx2"), fused = proposals_with("stencil", {"-O3"}, "avx2 with fma");
  ASSERT_THAT(wide, Not(IsEmpty()));
  ASSERT_THAT(fused, Not(IsEmpty()));
  EXPECT_THAT(wide.front().variant.text, HasSubstr("__attribute__((target(\"avx2\")))\nstatic inline"));
  EXPECT_THAT(wide.front().variant.plan, HasSubstr("require cpu(avx2)\n"));
  EXPECT_THAT(wide.front().variant.precision, IsEmpty());
  EXPECT_THAT(fused.front().variant.plan, HasSubstr("require cpu(avx2) and cpu(fma)\n"));
  EXPECT_THAT(fused.front().variant.precision, Contains("contracts floating point"));
  for (const Proposal &proposal : proposals_with("stencil", {"-O3", "-ffp-contract=off"}, "avx2 with fma"))
    EXPECT_THAT(proposal.variant.precision, Not(Contains("contracts floating point")));
#endif
}

} // namespace
} // namespace kopt::fixture
