#include "core/process.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

Outcome run(Command command) { return RealProcesses().run(command).value(); }

TEST(Process, CollectsBothStreamsAndTheExitCode) {
  const Outcome outcome = run({{"sh", "-c", "echo out; echo err >&2; exit 3"}, "", {}, {}, {}, false});
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.errors, "err\n");
  EXPECT_EQ(outcome.exit_code, 3);
}

TEST(Process, LargeOutputDoesNotBlock) {
  EXPECT_EQ(
      run({{"sh", "-c", "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2"}, "", {}, {}, {}, false}).output.size(),
      1000000U);
}

TEST(Process, TimeoutKillsTheWholeGroup) {
  Command command{{"sh", "-c", "sleep 30 & sleep 30"}, "", {}, {}, std::chrono::milliseconds(200), false};
  const Outcome outcome = run(command);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_LT(outcome.seconds, 10);
}

TEST(Process, EnvironmentAndDirectory) {
  const Outcome outcome = run({{"sh", "-c", "echo $KOPT_A-$HOME; pwd"}, "/", {{"KOPT_A", "1"}}, {"HOME"}, {}, false});
  EXPECT_EQ(outcome.output, "1-\n/\n");
}

TEST(Process, AMissingProgramIsAnError) {
  const auto outcome = RealProcesses().run({{"/no/such/program"}, "", {}, {}, {}, false});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().where, "/no/such/program");
}

TEST(Process, AMissingFolderIsNotAMissingProgram) {
  const auto outcome = RealProcesses().run({{"sh", "-c", "true"}, "/no/such/folder", {}, {}, {}, false});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().what.find("its folder /no/such/folder does not exist"), std::string::npos);
}

TEST(Process, SignalsAreExitCodes) { EXPECT_EQ(run({{"sh", "-c", "kill -9 $$"}, "", {}, {}, {}, false}).exit_code, 137); }

TEST(Shell, QuotingAndSplittingAreInverse) {
  const std::vector<std::string> words = {"a b", "it's", "", "-DX=\"y\"", "plain", "back\\slash"};
  EXPECT_EQ(shell_split(shell_quoted(words)), words);
  EXPECT_EQ(shell_split(R"(c++ "-DA=\"b\"" -I'x y'/z)"), (std::vector<std::string>{"c++", "-DA=\"b\"", "-Ix y/z"}));
}

} // namespace
} // namespace kopt
