#include "mep/capture.h"

#include "core/compression.h"
#include "model_fixture.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt {
namespace {

using Bytes = std::vector<std::uint8_t>;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A recording of fixture::product() with 1 x 1 matrices, as the recorder writes it.
std::string recording_of(long call, int slot, const std::string &a = "AAAAAAAA",
                         const std::string &result = "000000000000f83f") {
  return "kopt-capture 1\nkernel product\ncall " + std::to_string(call) + "\nslot " + std::to_string(slot) +
         "\nscalar 01000000 n\nscalar 000000000000f8bf alpha\nscalar 07000000 calls\npointer 0 0 a\npointer 0 8 b\npointer 1 0 "
         "c\n"
         "before 0 16\n" +
         a + "BBBBBBBB\nbefore 1 8\nCCCCCCCC\nafter 1 8\nDDDDDDDD\nresult " + result + "\ncomplete\n";
}

class Cases : public testing::Test {
protected:
  Result<KernelCapture> convert() {
    return convert_recordings(disk, "/build/kopt/recordings", model, "/build/kopt/product/cases");
  }
  std::vector<Case> read() {
    auto cases = read_cases(disk, "/build/kopt/product/cases/cases.json", model);
    EXPECT_TRUE(cases) << cases.error().message();
    return cases ? *cases : std::vector<Case>{};
  }

  MemoryDisk disk;
  Model model = fixture::product();
};

TEST_F(Cases, OfARecordingReadBackAsTheSameBytes) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  const auto capture = convert();
  ASSERT_TRUE(capture) << capture.error().message();
  ASSERT_EQ(capture->cases.size(), 1U);
  EXPECT_EQ(capture->cases[0].bytes, 24U);
  const auto cases = read();
  ASSERT_EQ(cases.size(), 1U);
  const auto &kase = cases[0];
  EXPECT_EQ(kase.name, "call-1");
  EXPECT_EQ(kase.origin, "capture");
  EXPECT_THAT(kase.arguments[0].bytes, ElementsAre(1, 0, 0, 0));
  double alpha = 0;
  ASSERT_EQ(kase.arguments[1].bytes.size(), 8U);
  std::memcpy(&alpha, kase.arguments[1].bytes.data(), 8);
  EXPECT_EQ(alpha, -1.5);
  EXPECT_EQ(kase.arguments[2].buffer, 0); // a and b lie in one allocation and stay so
  EXPECT_EQ(kase.arguments[3].buffer, 0);
  EXPECT_EQ(kase.arguments[3].offset, 8);
  EXPECT_THAT(kase.arguments[5].bytes, ElementsAre(7, 0, 0, 0));
  EXPECT_FALSE(kase.buffers[0].after); // only read
  EXPECT_EQ(*kase.buffers[1].after, std::vector<std::uint8_t>(8, 'D'));
  double result = 0;
  std::memcpy(&result, kase.result->data(), 8);
  EXPECT_EQ(result, 1.5);
}

TEST_F(Cases, HoldOutTheLaterCallOfAShape) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  disk.files["/build/kopt/recordings/product.16.raw"] = recording_of(16, 0, "EEEEEEEE");
  disk.files["/build/kopt/recordings/product.2.raw"] = recording_of(2, 1);
  disk.files["/build/kopt/recordings/product.calls"] = "calls 20 exact\ngroups 7\ntime 1000\nslot 0 19 900\nslot 1 1 50\n";
  const auto capture = convert();
  ASSERT_TRUE(capture) << capture.error().message();
  EXPECT_EQ(capture->calls, 20);
  EXPECT_TRUE(capture->exact);
  const auto cases = read();
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_FALSE(cases[0].held_out);
  EXPECT_FALSE(cases[1].held_out); // call 2, of another shape
  EXPECT_TRUE(cases[2].held_out);
  EXPECT_EQ(cases[2].name, "call-16");
  EXPECT_EQ(cases[0].weight, 0.9); // of the kernel's time
  EXPECT_EQ(cases[1].weight, 0.05);
  EXPECT_EQ(cases[2].weight, 0.9);
  EXPECT_EQ(capture->groups, 7);
}

TEST_F(Cases, KeepEqualContentsOnce) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  disk.files["/build/kopt/recordings/product.2.raw"] = recording_of(2, 0);
  ASSERT_TRUE(convert());
  EXPECT_EQ(disk.files_below("/build/kopt/product/cases").size(), 1U + 3U);
  EXPECT_EQ(read().size(), 2U);
}

TEST_F(Cases, NanAndInfinityStayTheSameBits) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0, "AAAAAAAA", "010000000000f87f");
  ASSERT_TRUE(convert());
  EXPECT_THAT(*read()[0].result, ElementsAre(1, 0, 0, 0, 0, 0, 0xf8, 0x7f));
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0, "AAAAAAAA", "000000000000f0ff");
  ASSERT_TRUE(convert());
  EXPECT_THAT(*read()[0].result, ElementsAre(0, 0, 0, 0, 0, 0, 0xf0, 0xff));
}

TEST_F(Cases, LeaveOutATruncatedRecordingWithAWarning) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  disk.files["/build/kopt/recordings/product.2.raw"] = recording_of(2, 0).substr(0, 200);
  const auto capture = convert();
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->cases.size(), 1U);
  ASSERT_EQ(capture->warnings.size(), 1U);
  EXPECT_THAT(capture->warnings[0], HasSubstr("product.2.raw"));
  EXPECT_THAT(capture->warnings[0], HasSubstr("cut short"));
}

TEST_F(Cases, ThatTakeLessThanAHundredthOfTheTimeAreHeldOut) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  disk.files["/build/kopt/recordings/product.2.raw"] = recording_of(2, 1);
  disk.files["/build/kopt/recordings/product.calls"] = "calls 20 exact\ntime 1000\nslot 0 10 9\nslot 1 10 991\n";
  ASSERT_TRUE(convert());
  EXPECT_TRUE(read()[0].held_out);
  EXPECT_FALSE(read()[1].held_out);
  disk.files["/build/kopt/recordings/product.calls"] = "calls 20 exact\ntime 10000\nslot 0 10 9\nslot 1 10 99\n";
  ASSERT_TRUE(convert());
  EXPECT_FALSE(read()[0].held_out) << "none is heavy: all are timed";
}

TEST_F(Cases, OfARecorderThatDidNotMeasureTimesAreWeightedByCalls) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  disk.files["/build/kopt/recordings/product.calls"] = "calls 20 exact\nslot 0 15\n";
  ASSERT_TRUE(convert());
  EXPECT_EQ(read()[0].weight, 0.75);
}

TEST_F(Cases, LieCompressedAndAreCheckedWhenTheyAreRead) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0, std::string(8, 'A'));
  ASSERT_TRUE(convert());
  const fs::path name = "/build/kopt/product/cases/call-1.buffer-0.before.zst";
  const auto whole = disk.files.at(name);
  const std::string contents = "AAAAAAAABBBBBBBB";
  EXPECT_EQ(read()[0].buffers[0].before, Bytes(contents.begin(), contents.end()));
  const auto refused = [&](const std::string &frame) {
    disk.files[name] = frame;
    const auto cases = read_cases(disk, "/build/kopt/product/cases/cases.json", model);
    return cases ? "" : cases.error().message();
  };
  EXPECT_THAT(refused(whole.substr(0, whole.size() - 3)), HasSubstr("is damaged"));
  EXPECT_THAT(refused(*compressed("AAAAAAAABBBBBBB")), HasSubstr("holds 15 bytes where 16 are expected"));
  EXPECT_THAT(refused(*compressed("AAAAAAAABBBBBBBC")), HasSubstr("does not have the contents that were captured"));
  EXPECT_THAT(refused(*compressed("AAAAAAAABBBBBBBC")), HasSubstr("run kopt capture again"));
}

TEST_F(Cases, LeaveOutACallThatWasInterrupted) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  disk.files["/build/kopt/recordings/product.4.raw.part.4711"] = recording_of(4, 0); // complete, but never renamed
  const auto capture = convert();
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->cases.size(), 1U);
  ASSERT_EQ(capture->warnings.size(), 1U);
  EXPECT_THAT(capture->warnings[0], HasSubstr("call 4 is not used: the application ended while it was recorded"));
  ASSERT_TRUE(remove_recordings(disk, "/build/kopt/recordings"));
  EXPECT_THAT(disk.files_below("/build/kopt/recordings"), IsEmpty());
}

TEST_F(Cases, OfSomeGroupsDoNotHideWhatWasWrongWithOthers) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  disk.files["/build/kopt/recordings/product.problem"] = "one call needs 9 bytes, the limit is 8\n";
  EXPECT_THAT(convert()->warnings, ElementsAre("one call needs 9 bytes, the limit is 8"));
}

TEST_F(Cases, AreRefusedWhereABufferIsSmallerThanTheModelSays) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  model.leaves[4].extent = Polynomial::symbol("n") + Polynomial(1); // c has one element
  auto capture = convert();
  ASSERT_TRUE(capture);
  EXPECT_THAT(capture->cases, IsEmpty());
  ASSERT_EQ(capture->warnings.size(), 1U);
  EXPECT_THAT(capture->warnings[0], HasSubstr("'c' leads to 1 elements in the application"));
  EXPECT_THAT(capture->warnings[0], HasSubstr("touches n + 1 = 2"));
  // What the kernel never uses may lead anywhere.
  model.leaves[4].access = "none";
  EXPECT_EQ(convert()->cases.size(), 1U);
  model.leaves[4].access = "write";
  // Under a condition the kernel need not go that far.
  Access access{"c", "", "write", {Polynomial::symbol("n")}, "", {}, "c[n]", "double"};
  Node statement, condition;
  statement.kind = Node::Kind::Statement;
  statement.accesses = {access};
  condition.kind = Node::Kind::If;
  condition.body = {statement};
  model.body = {condition};
  capture = convert();
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->cases.size(), 1U);
}

TEST_F(Cases, OfAnotherSignatureAreLeftOut) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  model.leaves[0].path = "size";
  const auto capture = convert();
  ASSERT_TRUE(capture);
  EXPECT_THAT(capture->cases, IsEmpty());
  ASSERT_EQ(capture->warnings.size(), 1U);
  EXPECT_THAT(capture->warnings[0], HasSubstr("no scalar 'size'"));
}

TEST_F(Cases, OfAKernelThatIsNeverCalledAreMissingForThatReason) {
  disk.files["/build/kopt/recordings/product2.1.raw"] = recording_of(1, 0); // another kernel's
  disk.files["/build/kopt/product/cases/cases.json"] = "earlier";
  const auto capture = convert();
  ASSERT_TRUE(capture);
  EXPECT_THAT(capture->problem, HasSubstr("never called"));
  EXPECT_EQ(disk.files["/build/kopt/product/cases/cases.json"], "earlier");
}

TEST_F(Cases, GiveTheRecordersReasonWhereItGaveUp) {
  disk.files["/build/kopt/recordings/product.calls"] = "calls 5 exact\n";
  disk.files["/build/kopt/recordings/product.problem"] = "one call needs 9 bytes, the limit is 8\n";
  EXPECT_EQ(convert()->problem, "one call needs 9 bytes, the limit is 8");
}

TEST_F(Cases, ReplaceThoseOfAnEarlierCapture) {
  disk.files["/build/kopt/product/cases/call-9.buffer-0.before.zst"] = "old";
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  ASSERT_TRUE(convert());
  EXPECT_FALSE(disk.exists("/build/kopt/product/cases/call-9.buffer-0.before.zst"));
}

TEST_F(Cases, TakeThePlaceOfRecordings) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  disk.files["/build/kopt/recordings/product.calls"] = "calls 1 exact\n";
  ASSERT_TRUE(remove_recordings(disk, "/build/kopt/recordings"));
  EXPECT_EQ(disk.files_below("/build/kopt/recordings"), std::vector<fs::path>{"/build/kopt/recordings/product.calls"});
}

TEST_F(Cases, SpellLongArraysAsBytes) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  model.leaves[5].count = 100; // `calls`, now a table
  auto raw = recording_of(1, 0);
  const std::string one = "scalar 07000000 calls";
  std::string many = "scalar ";
  for (int i = 0; i < 100; ++i) many += "0700000a";
  disk.files["/build/kopt/recordings/product.1.raw"] = raw.replace(raw.find(one), one.size(), many + " calls");
  ASSERT_TRUE(convert());
  EXPECT_THAT(disk.files["/build/kopt/product/cases/cases.json"], HasSubstr("{\n          \"bytes\": \"0700000a"));
  EXPECT_EQ(read()[0].arguments[5].bytes.size(), 400U);
}

TEST_F(Cases, CannotBeWrittenOnAReadOnlyDisk) {
  disk.files["/build/kopt/recordings/product.1.raw"] = recording_of(1, 0);
  disk.refuse_writes = true;
  EXPECT_FALSE(convert());
}

// Stands for the application: remembers how it was run.
class FakeApplication final : public Processes {
public:
  Outcome outcome;
  Command command;
  Result<Outcome> run(const Command &asked) override {
    command = asked;
    return outcome;
  }
};

class Run : public testing::Test {
protected:
  Run() {
    spec.target = "heat";
    spec.work_dir = "/build/kopt/heat";
    spec.executable = "/build/heat";
    spec.capture_executable = "/build/kopt/heat/capture/heat";
    spec.run = {"mpirun", "/build/heat", "--steps", "4"};
    spec.run_directory = "/build";
    disk.files["/build/kopt/heat/capture/heat"] = "";
  }
  MemoryDisk disk;
  FakeApplication application;
  Spec spec;
};

TEST_F(Run, PutsTheInstrumentedExecutableInPlaceOfTheApplication) {
  disk.files["/build/kopt/heat/recordings/a.1.raw"] = "of an earlier run";
  application.outcome.output = "physics: ok\n";
  const auto run = run_capture(disk, application, spec, {});
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_THAT(application.command.words, ElementsAre("mpirun", "/build/kopt/heat/capture/heat", "--steps", "4"));
  EXPECT_EQ(application.command.directory, "/build");
  EXPECT_EQ(application.command.environment.at("KOPT_CAPTURE_DIR"), "/build/kopt/heat/recordings");
  EXPECT_THAT(application.command.environment.at("ASAN_OPTIONS"), HasSubstr("detect_leaks=0"));
  EXPECT_FALSE(disk.exists("/build/kopt/heat/recordings/a.1.raw"));
  EXPECT_THAT(disk.files["/build/kopt/heat/capture.log"], HasSubstr("physics: ok"));
  EXPECT_THAT(run->warnings, IsEmpty());
  EXPECT_EQ(application.command.environment.at("KOPT_CAPTURE_MOST"), "4");
}

TEST_F(Run, KeepsWhatTheRecorderSays) {
  application.outcome.errors = "noise\nkopt capture: heat.diffuse: call 4 cannot be recorded: No space left on device\n";
  const auto run = run_capture(disk, application, spec, {});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->told.at("heat.diffuse"), "call 4 cannot be recorded: No space left on device");
}

TEST_F(Run, OfAFailingApplicationIsAWarning) {
  application.outcome.exit_code = 134;
  const auto run = run_capture(disk, application, spec, {});
  ASSERT_TRUE(run);
  ASSERT_EQ(run->warnings.size(), 1U);
  EXPECT_THAT(run->warnings[0], HasSubstr("exit code 134"));
}

TEST_F(Run, WithoutTheInstrumentedExecutableSaysHowToBuildIt) {
  disk.files.erase("/build/kopt/heat/capture/heat");
  const auto run = run_capture(disk, application, spec, {});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().remedy, HasSubstr("ninja kopt-capture"));
}

TEST_F(Run, ThatNeverNamesTheApplicationIsAnError) {
  spec.run = {"./script.sh"};
  EXPECT_FALSE(capture_command(spec));
  spec.run = {};
  EXPECT_THAT(*capture_command(spec), ElementsAre("/build/kopt/heat/capture/heat"));
  spec.capture_executable = "";
  EXPECT_FALSE(capture_command(spec));
}

} // namespace
} // namespace kopt
