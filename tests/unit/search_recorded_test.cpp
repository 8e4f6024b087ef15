#include "search/recorded_evaluator.h"

#include "core/hash.h"
#include "search/journal.h"
#include "search/refuted_evaluator.h"
#include "search_fixture.h"

#include <gmock/gmock.h>

namespace kopt {
namespace {

using fixture::variant;
using testing::HasSubstr;

Verdict verdict(double speedup) {
  Verdict result;
  result.kind = VerdictKind::Faster;
  result.speedup = speedup;
  return result;
}

class RecordedTest : public fixture::JournalFolder {
protected:
  RealDisk disk;
};

TEST_F(RecordedTest, RepeatsTheVerdictsOfAJournal) {
  {
    Journal journal = Journal::open(file).value();
    const long run = journal.start_run("foo", "key", "d")->id;
    ASSERT_TRUE(journal.record(run, variant("a"), Thoroughness::Quick, verdict(2), 1, "d"));
    ASSERT_TRUE(journal.record(run, variant("a"), Thoroughness::Full, verdict(3), 1, "d"));
  }
  const auto recorded = RecordedVerdicts::read(disk, file);
  ASSERT_TRUE(recorded) << recorded.error().message();
  RecordedEvaluator evaluator(*recorded);
  EXPECT_EQ(evaluator.evaluate(variant("a"), Thoroughness::Quick)->speedup, 2);
  EXPECT_EQ(evaluator.evaluate(variant("a"), Thoroughness::Full)->speedup, 3);
  const auto unknown = evaluator.evaluate(variant("b"), Thoroughness::Quick);
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->kind, VerdictKind::Invalid);
  EXPECT_THAT(unknown->reason, HasSubstr("recording"));
}

TEST_F(RecordedTest, RepeatsWhatAReportPrinted) {
  const fs::path report = folder / "report.json";
  Json entry{{"variant", variant("a").hash()}, {"thoroughness", "full"}, {"verdict", verdict(4)}};
  ASSERT_TRUE(disk.write(report, Json::array({entry}).dump()));
  const auto recorded = RecordedVerdicts::read(disk, report);
  ASSERT_TRUE(recorded) << recorded.error().message();
  EXPECT_EQ(RecordedEvaluator(*recorded).evaluate(variant("a"), Thoroughness::Full)->speedup, 4);
}

TEST_F(RecordedTest, SaysWhatIsWrongWithTheFile) {
  EXPECT_THAT(RecordedVerdicts::read(disk, folder / "none").error().message(), HasSubstr("No such file"));
  ASSERT_TRUE(disk.write(folder / "broken", "[{"));
  EXPECT_THAT(RecordedVerdicts::read(disk, folder / "broken").error().message(), HasSubstr("broken JSON"));
  ASSERT_TRUE(disk.write(folder / "other", "{}"));
  EXPECT_THAT(RecordedVerdicts::read(disk, folder / "other").error().message(), HasSubstr("kopt report --json"));
}

TEST(Refuted, AreNotJudgedAgain) {
  fixture::LawEvaluator law;
  Variant again = variant("2");
  again.plan = "call kopt_variant\n";
  again.parameters = {{"TILE", "32"}};
  RefutedEvaluator evaluator(
      law, {{hash_of(again.text), hash_of(again.plan), again.parameters, "closure", "changes the output", "2026-12-01"}});
  const auto refuted = evaluator.evaluate(again, Thoroughness::Quick);
  ASSERT_TRUE(refuted);
  EXPECT_EQ(refuted->kind, VerdictKind::Slower);
  EXPECT_THAT(refuted->reason, testing::AllOf(HasSubstr("refuted in the application"), HasSubstr("changes the output")));
  EXPECT_EQ(law.quick, 0);
  again.parameters["TILE"] = "64"; // another setting of it is another variant
  EXPECT_EQ(evaluator.evaluate(again, Thoroughness::Quick)->kind, VerdictKind::Faster);
}

} // namespace
} // namespace kopt
