#include "platform/host.h"

#include "fake_processes.h"

#include <gmock/gmock.h>

namespace kopt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class HostTest : public testing::Test {
protected:
  MemoryDisk disk;
  fixture::FakeProcesses processes;
  HostPlatform platform{disk, processes};
  Compile how{"/usr/bin/c++", "/build", {"-O3", "-iquote", "src", "-I/opt/include", "-Werror=shadow", "-DX=1"}, true, {}};
  BuildJob job{"int x;\n", "/w/x.cpp", "/w/x.so", {}, std::chrono::milliseconds(1500)};
};

TEST_F(HostTest, CompilesWithTheApplicationsFlagsInItsDirectory) {
  auto build = platform.build(how, job);
  ASSERT_TRUE(build);
  EXPECT_TRUE(build->succeeded);
  EXPECT_EQ(disk.files["/w/x.cpp"], "int x;\n");
  ASSERT_EQ(processes.commands.size(), 1u);
  const auto &command = processes.commands[0];
  EXPECT_EQ(command.directory, "/build");
  EXPECT_EQ(command.timeout, std::chrono::milliseconds(1500));
  EXPECT_THAT(command.words, ElementsAre("/usr/bin/c++", "-O3", "-I/opt/include", "-DX=1", "-fPIC", "-shared",
                                         "-fvisibility=hidden", "-fno-semantic-interposition", "-w",
                                         "-fdiagnostics-color=never", "-o", testing::StartsWith("/w/x.so."), "/w/x.cpp"));
}

TEST_F(HostTest, KeepsWhatTheCompilerSaidAsTheDiagnosis) {
  processes.answer = [](const Command &) { return fixture::refusal("variant.cpp:2: error: oops\n"); };
  auto build = platform.build(how, job);
  ASSERT_TRUE(build) << "a text that does not compile is an answer";
  EXPECT_FALSE(build->succeeded);
  EXPECT_EQ(build->diagnosis, "variant.cpp:2: error: oops\n");
}

TEST_F(HostTest, SaysWhenCompilingTookTooLong) {
  processes.answer = [](const Command &) {
    Outcome outcome;
    outcome.timed_out = true, outcome.exit_code = 137, outcome.signal = 9;
    return outcome;
  };
  EXPECT_THAT(platform.build(how, job)->diagnosis, HasSubstr("longer than 1.5 s"));
}

TEST_F(HostTest, AMissingCompilerOrAFullDiskIsAnError) {
  processes.answer = [](const Command &) { return fail("no such program"); };
  EXPECT_THAT(platform.build(how, job).error().message(), HasSubstr("/usr/bin/c++ cannot be run"));
  disk.refuse_writes = true;
  EXPECT_FALSE(platform.build(how, job));
  EXPECT_EQ(processes.commands.size(), 1u);
}

TEST_F(HostTest, PreprocessesToText) {
  processes.answer = [](const Command &) {
    Outcome outcome;
    outcome.output = "int x;\n", outcome.errors = "note";
    return outcome;
  };
  auto result = platform.preprocess(how, job);
  EXPECT_EQ(result->text, "int x;\n");
  EXPECT_EQ(result->build.diagnosis, "note");
  EXPECT_THAT(result->build.command, Contains("-E"));
  EXPECT_THAT(result->build.command, Not(Contains("-shared")));
}

TEST_F(HostTest, DescribesTheEnvironment) {
  disk.files["/proc/cpuinfo"] = "processor\t: 0\nmodel name\t: Fast CPU 9\nmodel name\t: other\n";
  processes.answer = [](const Command &) {
    Outcome outcome;
    outcome.output = "c++ (Debian) 12.2\nCopyright\n";
    return outcome;
  };
  auto facts = platform.environment(how);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->at("cpu"), "Fast CPU 9");
  EXPECT_EQ(facts->at("compiler"), "c++ (Debian) 12.2");
  EXPECT_THAT(facts->at("flags"), HasSubstr("-O3"));
}

TEST_F(HostTest, OtherPlatformsAreNotThereYet) {
  EXPECT_EQ((*make_platform("host", disk, processes))->name(), "host");
  EXPECT_THAT(make_platform("cuda", disk, processes).error().message(), HasSubstr("\"cuda\""));
}

} // namespace
} // namespace kopt
