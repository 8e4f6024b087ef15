#include "evaluate/judge.h"

#include "evaluate_fixture.h"

#include <gmock/gmock.h>
#include <limits>

namespace kopt::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::string exploit(const std::string &name) { return RealDisk().read(fs::path(KOPT_TEST_EXPLOITS) / (name + ".cpp")).value(); }

class Judging : public ::testing::Test {
protected:
  Result<std::unique_ptr<Judge>> judge_on(std::vector<Case> cases, const JudgeSettings &settings = test_settings()) {
    return Judge::create(model, std::move(cases), workshop.baseline(model), workshop.disk(), clock, settings);
  }
  Verdict judged(Judge &judge, const std::string &text, Thoroughness thoroughness = Thoroughness::Full) {
    return judge.judge(workshop.candidate(model, "candidate", text), thoroughness);
  }
  // Replaces the kernel's body.
  void set_body(const std::string &body) {
    const std::size_t open = static_cast<std::size_t>(model.closure.anchor_offset + model.closure.anchor_length);
    const std::size_t close = model.closure.text.rfind("\n} // namespace");
    model.closure.text.replace(open, close - open, "\n" + body + "}");
  }

  Workshop workshop;
  RealClock clock;
  Model model = smooth_model();
};

TEST_F(Judging, AHonestGainIsFasterOnFreshSamples) {
  auto judge = judge_on({smooth_case("small", 1000), smooth_case("large", 100001), smooth_case("held", 776, true)});
  ASSERT_TRUE(judge) << judge.error().message();
  const Verdict verdict = judged(**judge, exploit("honest"));
  EXPECT_EQ(verdict.kind, VerdictKind::Faster) << verdict.reason << verdict.evidence;
  EXPECT_GT(verdict.low, 1.02);
  EXPECT_LE(verdict.low, verdict.speedup);
  EXPECT_LE(verdict.speedup, verdict.high);
  EXPECT_GE(verdict.confidence, 0.99);
  ASSERT_EQ(verdict.cases.size(), 2U) << "held-out cases are not timed";
  EXPECT_GE(verdict.cases[0].pairs, 16);
  EXPECT_GT(verdict.worst_error, 0) << "a reciprocal rounds otherwise than a division";
  EXPECT_LT(verdict.worst_error, verdict.relative_tolerance);
  EXPECT_EQ(verdict.tolerance_source, "rounding-mode band");
}

// The A/A control: whatever this machine is doing, the original does not win against itself, nor lose.
TEST_F(Judging, TheOriginalIsNeitherFasterNorSlowerThanItself) {
  auto judge = judge_on({smooth_case("large", 100001)});
  ASSERT_TRUE(judge) << judge.error().message();
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Verdict verdict = judged(**judge, exploit("same"));
    EXPECT_TRUE(verdict.kind == VerdictKind::Same || verdict.kind == VerdictKind::Inconclusive)
        << to_string(verdict.kind) << ": " << verdict.reason << " [" << verdict.low << ", " << verdict.high << "]";
  }
}

TEST_F(Judging, HeldOutCasesAreForFullJudgementsOnly) {
  auto judge = judge_on({smooth_case("small", 1000), smooth_case("held", 776, true)});
  ASSERT_TRUE(judge) << judge.error().message();
  EXPECT_NE(judged(**judge, exploit("knows_timed_sizes"), Thoroughness::Quick).kind, VerdictKind::Incorrect);
  const Verdict verdict = judged(**judge, exploit("knows_timed_sizes"), Thoroughness::Full);
  EXPECT_EQ(verdict.kind, VerdictKind::Incorrect);
  EXPECT_THAT(verdict.evidence, HasSubstr("case held"));
}

TEST_F(Judging, UntimedJudgementsDecideOnCorrectnessAlone) {
  auto judge = judge_on({smooth_case("small", 1000), smooth_case("held", 776, true)});
  ASSERT_TRUE(judge) << judge.error().message();
  const Verdict right = judged(**judge, exploit("honest"), Thoroughness::Untimed);
  EXPECT_EQ(right.kind, VerdictKind::Inconclusive);
  EXPECT_EQ(right.reason, "not timed");
  EXPECT_TRUE(right.cases.empty());
  EXPECT_EQ(judged(**judge, exploit("knows_timed_sizes"), Thoroughness::Untimed).kind, VerdictKind::Incorrect);
}

TEST_F(Judging, AMissingSandboxIsSaidAndJudgingGoesOn) {
  JudgeSettings settings = test_settings();
  settings.launcher.use_landlock = settings.launcher.use_seccomp = false;
  auto judge = judge_on({smooth_case("small", 1000)}, settings);
  ASSERT_TRUE(judge) << judge.error().message();
  EXPECT_EQ((*judge)->sandbox(), "Landlock off, seccomp off");
  EXPECT_EQ(judged(**judge, exploit("wrong_constant"), Thoroughness::Quick).kind, VerdictKind::Incorrect);
}

TEST_F(Judging, ABaselineThatReadsPastTheEndIsAnErrorOfTheCase) {
  Case kase = smooth_case("short", 1000);
  kase.buffers[0].before.resize(1000 * 8); // x should have 1008
  const auto judge = judge_on({smooth_case("right", 100), kase});
  ASSERT_FALSE(judge);
  EXPECT_THAT(judge.error().message(),
              HasSubstr("app::smooth, case short: the original kernel reads past the end of x (element 1000 of 1000)"));
}

TEST_F(Judging, NoCaseIsAnError) {
  const auto judge = judge_on({});
  ASSERT_FALSE(judge);
  EXPECT_THAT(judge.error().message(), HasSubstr("kopt capture"));
}

TEST_F(Judging, ARunnerThatCannotStartIsAnError) {
  JudgeSettings settings = test_settings();
  settings.launcher.words = {"/nonexistent/kopt", "runner"};
  const auto judge = judge_on({smooth_case("small", 100)}, settings);
  ASSERT_FALSE(judge);
  EXPECT_THAT(judge.error().message(), HasSubstr("exit code 127"));
}

TEST_F(Judging, ACaseWithoutInformationVerifiesNothing) {
  Case zero = smooth_case("zero", 100), not_a_number = smooth_case("nan", 100);
  zero.buffers[0].before.assign(108 * 8, 0);
  not_a_number.buffers[0].before = bytes_of(std::vector<double>(108, std::numeric_limits<double>::quiet_NaN()));
  auto judge = judge_on({zero, not_a_number});
  ASSERT_TRUE(judge) << judge.error().message();
  EXPECT_THAT((*judge)->notes(), Contains(HasSubstr("case zero verifies nothing: its output is all zero, NaN or infinite")));
  EXPECT_THAT((*judge)->notes(), Contains(HasSubstr("case nan verifies nothing")));
  const Verdict verdict = judged(**judge, exploit("honest"));
  EXPECT_EQ(verdict.kind, VerdictKind::Invalid);
  EXPECT_EQ(verdict.reason, "no case can verify it");
}

TEST_F(Judging, AnOutputThatIsReadFirstIsNotPoisoned) {
  set_body("  for (int i = 0; i < n; ++i) y[i] += a * x[i]; // y is said to be write-only\n  ++*positive;\n  return a;\n");
  auto judge = judge_on({smooth_case("small", 100)});
  ASSERT_TRUE(judge) << judge.error().message();
  EXPECT_FALSE((*judge)->facts(0).poison_outputs);
  EXPECT_THAT((*judge)->notes(), Contains(HasSubstr("reads what it is said only to write")));
}

TEST_F(Judging, PerturbationsUnderWhichTheBaselineFaultsAreDropped) {
  set_body(
      "  y[static_cast<long>(a * 1e6)] = x[0];\n  for (int i = 1; i < n; ++i) y[i] = x[i];\n  ++*positive;\n  return x[1];\n");
  Case kase = smooth_case("small", 100);
  kase.arguments[1].bytes = bytes_of(std::vector<double>{5e-5}); // a * 1e6 is 50, and stays below 57
  auto steady = judge_on({kase});
  ASSERT_TRUE(steady) << steady.error().message();
  EXPECT_EQ((*steady)->facts(0).dropped_contents, 0);
  kase.arguments[1].bytes = bytes_of(std::vector<double>{100e-6 - 1e-9}); // 99: perturbed by some, it leaves the page
  set_body("  y[static_cast<long>(a * 1e6) + (a > 1e-4 || a < 99e-6 ? 1000000 : 0)] = x[0];\n  for (int i = 1; i < n; ++i) "
           "y[i] = x[i];\n  ++*positive;\n  return x[1];\n");
  auto shaky = judge_on({kase});
  ASSERT_TRUE(shaky) << shaky.error().message();
  EXPECT_GT((*shaky)->facts(0).dropped_contents, 0);
}

TEST_F(Judging, AGlobalWithoutAValueStartsFreshAndIsCompared) {
  const std::string before = model.closure.text.substr(0, static_cast<std::size_t>(model.closure.anchor_offset));
  model.closure.text.insert(before.size(), "int calls = 3;\n");
  model.closure.anchor_offset += static_cast<long>(std::strlen("int calls = 3;\n"));
  set_body("  ++calls;\n  for (int i = 0; i < n; ++i) y[i] = a * x[i] * calls;\n  return calls;\n");
  Leaf global = leaf_of("app::calls", -1, "int", "integer", 4, "scalar", "readwrite");
  global.origin = "global";
  global.symbol = "app::calls";
  model.leaves.push_back(global);
  Case kase = smooth_case("small", 100);
  kase.arguments.push_back({});
  auto judge = judge_on({kase});
  ASSERT_TRUE(judge) << judge.error().message();
  EXPECT_TRUE((*judge)->facts(0).deterministic);
  const std::string head = "double kopt_variant(int n, double a, const double *x, double *y, long *) {\n";
  const std::string right = "  for (int i = 0; i < n; ++i) y[i] = a * x[i] * 4;\n  return 4;\n}\n";
  EXPECT_EQ(judged(**judge, head + right).reason, "wrong result in app::calls") << "it does not count";
  const Verdict verdict = judged(**judge, head + "  calls = 4;\n" + right);
  EXPECT_NE(verdict.kind, VerdictKind::Incorrect) << verdict.reason << verdict.evidence;
}

TEST_F(Judging, AMissingObjectIsInvalid) {
  auto judge = judge_on({smooth_case("small", 100)});
  ASSERT_TRUE(judge) << judge.error().message();
  Candidate candidate;
  candidate.object = "/nonexistent.so";
  EXPECT_EQ((*judge)->judge(candidate, Thoroughness::Quick).kind, VerdictKind::Invalid);
}

TEST_F(Judging, AFasterVariantThatIsSlowerOnOneCaseIsNotFaster) {
  auto judge = judge_on({smooth_case("small", 2000), smooth_case("large", 100000)});
  ASSERT_TRUE(judge) << judge.error().message();
  const std::string honest = exploit("honest");
  const std::string slow_when_small = "if (n == 2000) for (int k = 0; k < 40; ++k) { double s = 0; for (int i = 0; i < n; ++i) "
                                      "s += x[i] / (a + k); y[k] = s; }\n  ";
  std::string text = honest;
  text.insert(text.find("const double inverse"), slow_when_small);
  const Verdict verdict = judged(**judge, text);
  EXPECT_NE(verdict.kind, VerdictKind::Faster) << verdict.cases.at(0).speedup << ' ' << verdict.cases.at(1).speedup;
}

} // namespace
} // namespace kopt::testing
