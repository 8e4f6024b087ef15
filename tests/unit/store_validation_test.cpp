#include "store/validation.h"

#include "store_application_fake.h"
#include "store_fixture.h"

#include <gmock/gmock.h>

namespace kopt {
namespace {

using testing::HasSubstr;
using Standing = KernelFinding::Standing;

// One kernel in the store that is known to be fresh, and others that share its record under another name.
class ValidationTest : public testing::Test {
protected:
  MemoryDisk disk;
  FakeClock clock;
  Spec spec = fixture::heat_spec("/src/app");
  fs::path record = fixture::lay_out(disk, spec);
  fixture::FakeApplication processes{disk};
  ValidationSettings settings;

  void SetUp() override {
    disk.files["/build/heat"] = "";
    processes.kernels["heat.diffuse"] = {};
  }

  // Accepts the same kernel once more as `heat::<name>`.
  fs::path add_kernel(const std::string &name) {
    Model model = fixture::diffuse_model("/src/app");
    model.name = "heat::" + name, model.slug = "heat." + name;
    spec.kernels.push_back(model.name);
    processes.kernels[model.slug] = {};
    return accept(disk, spec, model, fixture::diffuse_variant(), fixture::faster(), {}).value();
  }
  TargetFinding found() {
    const auto finding = validate(disk, processes, clock, spec, {}, settings);
    EXPECT_TRUE(finding) << finding.error().message();
    return finding.value_or(TargetFinding{});
  }
};

TEST_F(ValidationTest, AGainWithTheSameOutputIsValidated) {
  const auto finding = found();
  ASSERT_EQ(finding.kernels.size(), 1U);
  EXPECT_EQ(finding.kernels[0].standing, Standing::Validated) << finding.kernels[0].reason;
  EXPECT_NEAR(finding.kernels[0].speedup.estimate, 4, 1e-9) << "first calls do not count";
  EXPECT_NEAR(finding.application.estimate, 11 / 3.5, 1e-9);
  EXPECT_EQ(finding.pairs, 6);
  const auto stored = load(disk, record);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->record.status, "validated");
  ASSERT_TRUE(stored->record.validation);
  EXPECT_NEAR(stored->record.validation->kernel_speedup, 4, 1e-9);
  EXPECT_EQ(stored->record.validation->mep_speedup, 4);
  EXPECT_EQ(stored->record.validation->output, "same");
  EXPECT_EQ(stored->record.validation->date, clock.utc());
}

TEST_F(ValidationTest, RunsComeInPairsOfAlternatingOrder) {
  found();
  std::string order;
  for (const Command &command : processes.commands) order += command.environment.contains("KOPT_DISABLE") ? 'A' : 'B';
  EXPECT_EQ(order, "AAB"
                   "ABBAABBAABBA");
}

TEST_F(ValidationTest, AnotherOutputIsRolledBackWithTheEvidence) {
  processes.kernels["heat.diffuse"].output_on = "heat 0.26\n";
  const auto finding = found();
  EXPECT_EQ(finding.kernels[0].standing, Standing::RolledBack);
  EXPECT_THAT(finding.kernels[0].reason, HasSubstr("line 1: 0.26 instead of 0.25"));
  EXPECT_FALSE(disk.exists(record));
  EXPECT_THAT(read_record(disk, record.parent_path() / rejected_name)->verdict.reason, HasSubstr("0.26"));
}

TEST_F(ValidationTest, OnlyTheCulpritIsRolledBack) {
  const auto other = add_kernel("second");
  processes.kernels["heat.second"].output_on = "heat 0.26\n";
  const auto finding = found();
  EXPECT_EQ(finding.kernels[0].standing, Standing::Validated) << finding.kernels[0].reason;
  EXPECT_EQ(finding.kernels[1].standing, Standing::RolledBack);
  EXPECT_TRUE(disk.exists(record));
  EXPECT_FALSE(disk.exists(other));
  EXPECT_EQ(processes.commands.back().environment.at("KOPT_DISABLE") == "1" ||
                processes.commands.back().environment.at("KOPT_DISABLE") == "heat.second",
            true);
}

TEST_F(ValidationTest, ACrashIsRolledBack) {
  processes.change = [](Outcome &outcome, bool on) {
    if (on) outcome.exit_code = 139, outcome.signal = 11;
  };
  EXPECT_THAT(found().kernels[0].reason, HasSubstr("was ended by signal 11, and ended with exit code 0 with variants off"));
}

TEST_F(ValidationTest, AHangIsRolledBack) {
  processes.change = [](Outcome &outcome, bool on) { outcome.timed_out = on; };
  EXPECT_THAT(found().kernels[0].reason, HasSubstr("did not end"));
  EXPECT_TRUE(processes.commands.back().timeout.has_value());
}

TEST_F(ValidationTest, SlowerIsRolledBack) {
  processes.kernels["heat.diffuse"].variant_seconds = 1.5;
  const auto finding = found();
  EXPECT_EQ(finding.kernels[0].standing, Standing::RolledBack);
  EXPECT_THAT(finding.kernels[0].reason, HasSubstr("slower inside the application: 0.67x"));
}

TEST_F(ValidationTest, NoClearGainStaysProvisional) {
  processes.kernels["heat.diffuse"].variant_seconds = 1;
  EXPECT_EQ(found().kernels[0].standing, Standing::Provisional);
  EXPECT_EQ(load(disk, record)->record.status, "provisional");
}

TEST_F(ValidationTest, GuardsThatNeverHoldAreRolledBack) {
  processes.kernels["heat.diffuse"].guards_hold = false;
  const auto finding = found();
  EXPECT_EQ(finding.kernels[0].standing, Standing::RolledBack);
  EXPECT_THAT(finding.kernels[0].reason, HasSubstr("did not hold in any of 10 calls"));
}

TEST_F(ValidationTest, AKernelThatRunDoesNotCallStaysProvisional) {
  processes.kernels.clear();
  const auto finding = found();
  EXPECT_EQ(finding.kernels[0].standing, Standing::Provisional);
  EXPECT_THAT(finding.kernels[0].reason, HasSubstr("RUN did not call it"));
  EXPECT_FALSE(load(disk, record)->record.validation);
}

TEST_F(ValidationTest, StaleAndMissingVariantsAreLeftAlone) {
  spec.kernels.push_back("heat::nothing");
  auto &source = disk.files["/src/app/kernels.cpp"];
  source = fixture::replaced(source, "0.25", "0.3");
  const auto finding = found();
  EXPECT_THAT(finding.kernels[0].reason, HasSubstr("stale: "));
  EXPECT_EQ(finding.kernels[1].reason, "nothing accepted");
  EXPECT_TRUE(processes.commands.empty()) << "nothing is run for nothing";
}

TEST_F(ValidationTest, AVariantThatCannotBeReadIsNamed) {
  disk.files[record] = "{";
  const auto finding = found();
  EXPECT_TRUE(finding.kernels[0].unreadable);
  EXPECT_THAT(finding.kernels[0].reason, HasSubstr("record.json: broken JSON"));
  EXPECT_TRUE(disk.exists(record)) << "nothing is removed that cannot be read";
}

TEST_F(ValidationTest, AnApplicationThatFailsByItselfIsAnError) {
  processes.change = [](Outcome &outcome, bool) { outcome.exit_code = 3; };
  const auto finding = validate(disk, processes, clock, spec, {}, settings);
  ASSERT_FALSE(finding);
  EXPECT_THAT(finding.error().message(), HasSubstr("ended with exit code 3 with KOPT_DISABLE=1"));
  EXPECT_TRUE(disk.exists(record));
}

TEST_F(ValidationTest, TheValidateCommandDecidesToo) {
  spec.validate = {"/build/check"};
  processes.change = [&](Outcome &outcome, bool on) {
    if (on && processes.commands.back().words.front() == "/build/check") outcome.exit_code = 1;
  };
  EXPECT_THAT(found().kernels[0].reason, HasSubstr("VALIDATE ended with exit code 1 with variants on"));
}

TEST_F(ValidationTest, OutputWithoutNumbersIsSaidInTheRecord) {
  processes.output = "done\n";
  EXPECT_EQ(found().kernels[0].standing, Standing::Validated);
  EXPECT_THAT(load(disk, record)->record.validation->output, HasSubstr("not compared: the application prints no number"));
}

} // namespace
} // namespace kopt
