// Kernels compiled with OpenMP: parallel loops are judged on the runtime's threads, and nothing starts others.
#include "evaluate/judge.h"

#include "evaluate_fixture.h"

#include <gmock/gmock.h>

namespace kopt::testing {
namespace {

using ::testing::HasSubstr;

// A variant whose loop has this pragma.
std::string parallel_variant(const std::string &pragma) {
  return "double kopt_variant(int n, double a, const double *x, double *y, long *positive) {\n" + pragma + R"(
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += x[i + k] / (1 + a * a);
    y[i] = sum;
  }
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    if (y[i] > largest) largest = y[i];
    if (y[i] > 0) ++*positive;
  }
  return largest;
}
)";
}

class OpenMP : public ::testing::Test {
protected:
  OpenMP() {
    model.compile.arguments = {"-O2", "-fopenmp"};
    workshop.flags = {"-fopenmp"};
  }

  Verdict judged(const std::string &text, bool inspect = true) {
    JudgeSettings settings = test_settings();
    settings.launcher.threads = 3;
    settings.inspect = inspect;
    auto judge = Judge::create(model, {smooth_case("large", 100001), smooth_case("held", 776, true)}, workshop.baseline(model),
                               workshop.disk(), clock, settings);
    EXPECT_TRUE(judge) << judge.error().message();
    return judge ? (*judge)->judge(workshop.candidate(model, "candidate", text), Thoroughness::Full) : Verdict{};
  }

  Workshop workshop;
  RealClock clock;
  Model model = smooth_model();
};

bool is_timed(const Verdict &verdict) {
  return verdict.kind == VerdictKind::Faster || verdict.kind == VerdictKind::Same || verdict.kind == VerdictKind::Slower ||
         verdict.kind == VerdictKind::Inconclusive;
}

TEST_F(OpenMP, ParallelLoopsAreJudged) {
  for (const char *pragma :
       {"#pragma omp parallel for schedule(static) if (n > 1000)", "#pragma omp parallel for schedule(dynamic)"}) {
    const Verdict verdict = judged(parallel_variant(pragma));
    EXPECT_TRUE(is_timed(verdict)) << to_string(verdict.kind) << ": " << verdict.reason << "\n" << verdict.evidence;
  }
}

TEST_F(OpenMP, AKernelThatIsParallelItselfIsABaseline) {
  const std::string loop = "  for (int i = 0; i < n; ++i) {";
  model.closure.text.insert(model.closure.text.find(loop),
                            "#pragma omp parallel for reduction(max : largest) reduction(+ : positive[:1])\n");
  const Verdict verdict = judged(parallel_variant(""));
  EXPECT_TRUE(is_timed(verdict)) << to_string(verdict.kind) << ": " << verdict.reason << "\n" << verdict.evidence;
}

TEST_F(OpenMP, WhatChangesTheTeamIsRefused) {
  workshop.must_compile = false;
  EXPECT_THAT(judged(parallel_variant("#pragma omp parallel for num_threads(8)")).reason, HasSubstr("uses `num_threads`"));
  EXPECT_THAT(judged(parallel_variant("#pragma omp parallel for if (fork() > 0)")).reason, HasSubstr("calls fork"));
  EXPECT_THAT(judged(parallel_variant("#pragma omp target")).reason, HasSubstr("pragma"));
}

// The second line: there are no threads but those of the team.
TEST_F(OpenMP, AnotherThreadCannotBeStarted) {
  const Verdict verdict = judged(parallel_variant("#pragma omp parallel for num_threads(8)"), false);
  EXPECT_EQ(verdict.kind, VerdictKind::Suspect);
  EXPECT_THAT(verdict.reason, HasSubstr("made the forbidden system call")); // for the memory of the thread's stack
}

TEST_F(OpenMP, WithoutItInTheApplicationThereAreNoThreads) {
  model.compile.arguments = {"-O2"};
  EXPECT_THAT(judged(parallel_variant("#pragma omp parallel for")).reason, HasSubstr("compiled without OpenMP"));
}

} // namespace
} // namespace kopt::testing
