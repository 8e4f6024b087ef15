#include "store/gate.h"

#include "store_application_fake.h"
#include "store_fixture.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace kopt {
namespace {

using fixture::replaced;
using testing::HasSubstr;

class FakeEvaluator final : public Evaluator {
public:
  FakeEvaluator(Verdict verdict, std::vector<Thoroughness> *asked) : verdict_(std::move(verdict)), asked_(asked) {}
  Result<Verdict> evaluate(const Variant &, Thoroughness thoroughness) override {
    if (asked_) asked_->push_back(thoroughness);
    return verdict_;
  }

private:
  Verdict verdict_;
  std::vector<Thoroughness> *asked_;
};

Gate::MakeEvaluator judging(VerdictKind kind, const std::string &reason = "", std::vector<Thoroughness> *asked = nullptr) {
  return [=](const Model &) -> Result<std::unique_ptr<Evaluator>> {
    Verdict verdict = fixture::faster(kind == VerdictKind::Slower ? 0.5 : 2);
    verdict.kind = kind, verdict.reason = reason, verdict.evidence = "evidence";
    return std::make_unique<FakeEvaluator>(verdict, asked);
  };
}

class GateTest : public testing::Test {
protected:
  MemoryDisk disk;
  Spec spec = fixture::heat_spec("/src/app");
  fs::path record = fixture::lay_out(disk, spec);
  fixture::FakeApplication processes{disk};
  GateSettings settings;

  void SetUp() override {
    disk.files["/build/heat"] = "";
    processes.kernels["heat.diffuse"] = {};
    fixture::must(write_model(disk, spec.mep_dir("heat.diffuse") / "model.json", fixture::diffuse_model("/src/app")));
  }
  Gate gate() { return {disk, processes, spec, "heat::diffuse", settings}; }
  void make_stale() { disk.files["/src/app/grid.h"] = "struct Grid { long nx, ny; };\n"; }
  static void expect(const GateAnswer &answer, GateOutcome outcome, const std::string &text) {
    EXPECT_EQ(answer.outcome, outcome) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(text));
  }
};

TEST_F(GateTest, FreshPassesFailsAndSkips) {
  expect(gate().fresh(), GateOutcome::Pass, "as it was when its variant was accepted (provisional)");
  make_stale();
  expect(gate().fresh(), GateOutcome::Fail, "stale: /src/app/grid.h:3: type Grid in grid.h changed; run `ninja kopt-tune`");
  disk.files.erase(record);
  expect(gate().fresh(), GateOutcome::Skip, "nothing is accepted for heat::diffuse");
  settings.required = true;
  expect(gate().fresh(), GateOutcome::Fail, "it is REQUIRED");
}

TEST_F(GateTest, ABrokenStoreFails) {
  disk.files[record] = "{";
  expect(gate().fresh(), GateOutcome::Fail, "broken JSON");
}

TEST_F(GateTest, OtherChecksDoNotJudgeAStaleVariant) {
  make_stale();
  expect(gate().build(), GateOutcome::Fail, "stale");
  expect(gate().correct(judging(VerdictKind::Faster)), GateOutcome::Fail, "stale");
  expect(gate().app(), GateOutcome::Fail, "stale");
}

TEST_F(GateTest, WithoutAModelThereIsNothingToBuildOrJudge) {
  disk.files.erase(spec.mep_dir("heat.diffuse") / "model.json");
  expect(gate().build(), GateOutcome::Skip, "ninja kopt-extract");
  expect(gate().faster(judging(VerdictKind::Faster)), GateOutcome::Skip, "no MEP");
}

TEST_F(GateTest, CorrectAsksForNoMoreThanCorrectness) {
  for (const auto kind : {VerdictKind::Faster, VerdictKind::Same, VerdictKind::Slower, VerdictKind::Inconclusive})
    expect(gate().correct(judging(kind)), GateOutcome::Pass, "computes what the original does");
  for (const auto kind : {VerdictKind::Incorrect, VerdictKind::Invalid, VerdictKind::Suspect})
    expect(gate().correct(judging(kind, "wrong in next")), GateOutcome::Fail, to_string(kind) + ": wrong in next\nevidence");
}

TEST_F(GateTest, OnlyFasterTakesTime) {
  std::vector<Thoroughness> asked;
  gate().correct(judging(VerdictKind::Inconclusive, "not timed", &asked));
  gate().faster(judging(VerdictKind::Faster, "", &asked));
  EXPECT_EQ(asked, (std::vector{Thoroughness::Untimed, Thoroughness::Full}));
}

TEST_F(GateTest, FasterFailsWhereItIsNotAndSkipsWhereNobodyCanTell) {
  expect(gate().faster(judging(VerdictKind::Faster)), GateOutcome::Pass, "faster 2.00x [1.90, 2.10]");
  expect(gate().faster(judging(VerdictKind::Slower)), GateOutcome::Fail, "slower 0.50x");
  expect(gate().faster(judging(VerdictKind::Same)), GateOutcome::Fail, "same");
  expect(gate().faster(judging(VerdictKind::Inconclusive, "too noisy")), GateOutcome::Skip,
         "inconclusive 2.00x [1.90, 2.10]: too noisy");
  expect(gate().faster(judging(VerdictKind::Incorrect, "wrong")), GateOutcome::Fail, "incorrect: wrong");
}

TEST_F(GateTest, AJudgeThatCannotBeMadeIsASkip) {
  const auto no_cases = [](const Model &) -> Result<std::unique_ptr<Evaluator>> {
    return fail("no cases", "heat::diffuse", "run `ninja kopt-capture`");
  };
  expect(gate().faster(no_cases), GateOutcome::Skip,
         "cannot be judged here: heat::diffuse: no cases; run `ninja kopt-capture`");
}

TEST_F(GateTest, AppComparesOutput) {
  expect(gate().app(), GateOutcome::Pass, "1 numbers agree; the variant ran in 10 of 10 calls");
  EXPECT_EQ(processes.commands.size(), 3U);
  processes.kernels["heat.diffuse"].output_on = "heat 0.26\n";
  expect(gate().app(), GateOutcome::Fail, "line 1: 0.26 instead of 0.25");
}

TEST_F(GateTest, AppSkipsWhereThereIsNothingToCompare) {
  processes.output = "done\n";
  expect(gate().app(), GateOutcome::Skip, "not compared: the application prints no number");
  processes.output = "x 1\n";
  processes.kernels["heat.diffuse"].guards_hold = false;
  expect(gate().app(), GateOutcome::Skip, "the variant of heat::diffuse did not run");
  disk.files.erase("/build/heat");
  expect(gate().app(), GateOutcome::Skip, "is not built");
}

TEST_F(GateTest, AppFailsWhereTheApplicationDoes) {
  processes.change = [](Outcome &outcome, bool) { outcome.exit_code = 2, outcome.errors = "usage"; };
  expect(gate().app(), GateOutcome::Fail, "fails with KOPT_DISABLE=1 (exit code 2): /build/heat --steps 3\nusage");
}

// With the real compiler.
TEST(GateBuild, CompilesTheIntegratedSourceWithTheApplicationsFlags) {
  char name[] = "/tmp/kopt_gate_test.XXXXXX";
  const fs::path folder = mkdtemp(name);
  RealDisk disk;
  RealProcesses processes;
  const Spec spec = fixture::heat_spec(folder, folder / "build");
  fixture::lay_out(disk, spec);
  const auto model = fixture::diffuse_model(folder);
  fixture::must(write_model(disk, spec.mep_dir(model.slug) / "model.json", model));
  Gate gate(disk, processes, spec, "heat::diffuse", {});
  const auto good = gate.build();
  EXPECT_EQ(good.outcome, GateOutcome::Pass) << good.text;
  Variant variant = fixture::diffuse_variant();
  variant.text = replaced(variant.text, "weight", "no_such_name");
  accept(disk, spec, model, variant, fixture::faster(), {}).value();
  const auto bad = gate.build();
  EXPECT_EQ(bad.outcome, GateOutcome::Fail);
  EXPECT_THAT(bad.text, testing::AllOf(HasSubstr("does not compile"), HasSubstr("no_such_name"), HasSubstr("variant.cpp:7")));
  fs::remove_all(folder);
}

} // namespace
} // namespace kopt
