#include "store/application.h"

#include "store_application_fake.h"
#include "store_fixture.h"

#include <gmock/gmock.h>

namespace kopt {
namespace {

using testing::HasSubstr;

class ApplicationTest : public testing::Test {
protected:
  MemoryDisk disk;
  Spec spec = fixture::heat_spec("/src/app");
  fixture::FakeApplication processes{disk};
  Application application{disk, processes, spec};
};

TEST_F(ApplicationTest, RunsRunInItsFolderWithAPrivateTimeFile) {
  processes.kernels["heat.diffuse"] = {};
  const auto run = application.run({true, {}});
  ASSERT_TRUE(run) << run.error().message();
  const Command &command = processes.commands.front();
  EXPECT_EQ(command.words, spec.run);
  EXPECT_EQ(command.directory, "/build");
  EXPECT_EQ(command.environment.at("KOPT_DISABLE"), "1");
  EXPECT_EQ(run->kernels.at("heat.diffuse").calls, 10U);
  EXPECT_FALSE(disk.exists(command.environment.at("KOPT_TIME"))) << "the file is removed";
}

TEST_F(ApplicationTest, TheUsersOwnSettingsDoNotReachIt) {
  ASSERT_TRUE(application.run({}));
  const Command &command = processes.commands.front();
  EXPECT_THAT(command.without_environment, testing::UnorderedElementsAre("KOPT_TRACE", "KOPT_DISABLE"));
  ASSERT_TRUE(application.run({false, {"a", "b"}}));
  EXPECT_EQ(processes.commands.back().environment.at("KOPT_DISABLE"), "a,b");
}

TEST_F(ApplicationTest, TheTargetItselfIsTheDefault) {
  spec.run.clear();
  EXPECT_EQ(application.words(), std::vector<std::string>{"/build/heat"});
  spec.executable.clear();
  EXPECT_THAT(application.check().error().message(), HasSubstr("give kopt_optimize_target() a RUN command"));
}

TEST_F(ApplicationTest, AnApplicationThatIsNotBuiltIsSaid) {
  EXPECT_THAT(application.check().error().message(), HasSubstr("/build/heat: is not built; build the application first"));
  disk.files["/build/heat"] = "";
  EXPECT_TRUE(application.check());
}

TEST_F(ApplicationTest, TimesOfSeveralProcessesAddUpAndFirstCallsAreLeftOut) {
  const std::string line =
      R"({"kernel": "k", "target": "heat", "calls": 3, "variant_calls": 2, "seconds": 9.0, "first_call_seconds": 5.0})";
  disk.files["/t"] = line + "\n" + line + "\n" + fixture::replaced(line, "heat", "other") + "\n";
  const auto times = read_times(disk, "/t", "heat");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->at("k").calls, 6U);
  EXPECT_DOUBLE_EQ(times->at("k").per_call(), 2);
  EXPECT_DOUBLE_EQ((KernelTime{1, 1, 1, 5, 5}).per_call(), 5);
  EXPECT_DOUBLE_EQ(KernelTime{}.per_call(), 0);
}

TEST_F(ApplicationTest, ABrokenTimeFileNamesItsLine) {
  disk.files["/t"] = "{\"kernel\": \"k\", \"target\": \"heat\"}\n";
  EXPECT_THAT(read_times(disk, "/t", "heat").error().message(), HasSubstr("/t:1"));
  disk.files["/t"] = "[]\n";
  EXPECT_FALSE(read_times(disk, "/t", "heat"));
}

} // namespace
} // namespace kopt
