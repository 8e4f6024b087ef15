#include "search/journal.h"

#include "core/clock.h"
#include "search/journaled_evaluator.h"
#include "search_fixture.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sqlite3.h>

namespace kopt {
namespace {

using fixture::LawEvaluator;
using fixture::variant;
using testing::HasSubstr;

class JournalTest : public fixture::JournalFolder {
protected:
  FakeClock clock;
  LawEvaluator evaluator;

  // What a command does, up to its first evaluations.
  struct Begun {
    Journal journal;
    long run;
  };
  Begun begin(const std::string &key = "key", bool anew = false) {
    Journal journal = Journal::open(file).value();
    const long run = journal.start_run("foo", key, clock.utc(), anew)->id;
    return {std::move(journal), run};
  }
  void sql(const std::string &text) {
    sqlite3 *database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    char *message = nullptr;
    ASSERT_EQ(sqlite3_exec(database, text.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
    sqlite3_close(database);
  }
};

struct Asked final : Interruption {
  int number = 0;
  [[nodiscard]] int signal() const override { return number; }
};

TEST_F(JournalTest, TheSameSearchGoesOnWithoutJudgingTwice) {
  for (int attempt = 0; attempt < 2; ++attempt) { // the second opening stands for the process after a kill
    Begun begun = begin();
    JournaledEvaluator journaled(evaluator, begun.journal, begun.run, clock, nullptr);
    EXPECT_EQ(journaled.evaluate(variant("2"), Thoroughness::Quick)->speedup, 2);
    EXPECT_EQ(begun.journal.evaluations(begun.run), 1);
  }
  EXPECT_EQ(evaluator.quick, 1);
}

TEST_F(JournalTest, AnotherKeyOrAWishBeginsANewRun) {
  const long first = begin().run;
  EXPECT_EQ(begin().run, first);
  EXPECT_NE(begin("other").run, first);
  EXPECT_EQ(begin().run, first);
  const long anew = begin("key", true).run;
  EXPECT_NE(anew, first);
  EXPECT_EQ(begin().run, anew) << "killed, the new run is the one that goes on";
}

TEST_F(JournalTest, QuickAndFullAreDifferentQuestions) {
  Begun begun = begin();
  JournaledEvaluator journaled(evaluator, begun.journal, begun.run, clock, nullptr);
  ASSERT_TRUE(journaled.evaluate(variant("2"), Thoroughness::Quick));
  ASSERT_TRUE(journaled.evaluate(variant("2"), Thoroughness::Full));
  EXPECT_EQ(evaluator.full, 1);
  EXPECT_EQ(begun.journal.evaluations(begun.run), 2);
}

TEST_F(JournalTest, WhatHasNoVerdictIsNoEvaluation) {
  Begun begun = begin();
  ASSERT_TRUE(begun.journal.plan(begun.run, {variant("2"), variant("3")}, "date"));
  ASSERT_TRUE(begun.journal.begin(begun.run, variant("2"), Thoroughness::Quick, "date"));
  EXPECT_EQ(begun.journal.evaluations(begun.run), 0);
  EXPECT_FALSE(begun.journal.find(begun.run, variant("2"), Thoroughness::Quick)->has_value());
  EXPECT_TRUE(begun.journal.latest().empty());
  Verdict verdict;
  verdict.kind = VerdictKind::Same;
  ASSERT_TRUE(begun.journal.record(begun.run, variant("2"), Thoroughness::Quick, verdict, 1.5, "date"));
  // What is done stays as it is.
  ASSERT_TRUE(begun.journal.plan(begun.run, {variant("2")}, "date"));
  ASSERT_TRUE(begun.journal.begin(begun.run, variant("2"), Thoroughness::Quick, "date"));
  EXPECT_EQ(begun.journal.find(begun.run, variant("2"), Thoroughness::Quick)->value().kind, VerdictKind::Same);
  EXPECT_EQ(begun.journal.seconds(begun.run), 1.5);
}

TEST_F(JournalTest, AFailureOfTheJudgeIsNoVerdict) {
  Begun begun = begin();
  evaluator.breaks_at = 0;
  JournaledEvaluator journaled(evaluator, begun.journal, begun.run, clock, nullptr);
  EXPECT_FALSE(journaled.evaluate(variant("2"), Thoroughness::Quick));
  EXPECT_EQ(begun.journal.evaluations(begun.run), 0);
}

TEST_F(JournalTest, AfterAnInterruptionNothingIsJudgedOrRecorded) {
  Begun begun = begin();
  Asked asked;
  struct Interrupting final : Evaluator {
    Asked &asked;
    explicit Interrupting(Asked &who) : asked(who) {}
    Result<Verdict> evaluate(const Variant &, Thoroughness) override {
      asked.number = 2; // in the middle of it
      return Verdict{};
    }
  } interrupting(asked);
  JournaledEvaluator journaled(interrupting, begun.journal, begun.run, clock, &asked);
  EXPECT_FALSE(journaled.evaluate(variant("2"), Thoroughness::Quick));
  EXPECT_EQ(begun.journal.evaluations(begun.run), 0);
  const auto next =
      JournaledEvaluator(evaluator, begun.journal, begun.run, clock, &asked).evaluate(variant("3"), Thoroughness::Quick);
  ASSERT_FALSE(next);
  EXPECT_THAT(next.error().message(), HasSubstr("the same command"));
  EXPECT_EQ(evaluator.quick, 0);
}

TEST_F(JournalTest, ACalendarThatJumpsChangesNothing) {
  clock.date = "2030-01-01T00:00:00Z";
  Begun begun = begin();
  JournaledEvaluator(evaluator, begun.journal, begun.run, clock, nullptr).evaluate(variant("2"), Thoroughness::Quick).value();
  clock.date = "1970-01-01T00:00:00Z"; // a battery ran out
  clock.time = std::chrono::seconds(5);
  Begun after = begin();
  EXPECT_EQ(after.run, begun.run);
  JournaledEvaluator journaled(evaluator, after.journal, after.run, clock, nullptr);
  ASSERT_TRUE(journaled.evaluate(variant("2"), Thoroughness::Quick));
  EXPECT_EQ(evaluator.quick, 1);
  EXPECT_EQ(after.journal.seconds(after.run), 0) << "an evaluation's seconds are not the calendar's";
  EXPECT_EQ(begin("later").journal.latest().size(), 0U) << "the latest run is the last begun, whatever its date";
}

TEST_F(JournalTest, ReadsWhatVersion1Wrote) {
  sql(R"(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, key TEXT NOT NULL, started TEXT NOT NULL, finished INTEGER NOT NULL DEFAULT 0);
CREATE TABLE evaluations (
  run INTEGER NOT NULL REFERENCES runs(id), variant TEXT NOT NULL, thoroughness INTEGER NOT NULL, kind TEXT NOT NULL, verdict TEXT NOT NULL,
  proposer TEXT NOT NULL, patterns TEXT NOT NULL, text TEXT NOT NULL, plan TEXT NOT NULL, parameters TEXT NOT NULL, date TEXT NOT NULL,
  PRIMARY KEY (run, variant, thoroughness));
INSERT INTO runs VALUES (1, 'foo', 'key', 'then', 0);
INSERT INTO evaluations VALUES (1, 'abc', 1, 'faster', '{"kind": "faster", "speedup": 3}', 'rules', '["interchange"]', '', '', '{}', 'then');
PRAGMA user_version = 1;)");
  Journal journal = Journal::open(file).value();
  const auto entries = journal.latest();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].verdict.speedup, 3);
  EXPECT_EQ(entries[0].thoroughness, Thoroughness::Full);
  EXPECT_NE(journal.start_run("foo", "key", "now", true)->id, 1);
}

TEST_F(JournalTest, RefusesANewerVersionAndLeavesItAlone) {
  sql("PRAGMA user_version = 99");
  for (const auto &newer : {Journal::open(file), Journal::open_or_replace(file)}) {
    ASSERT_FALSE(newer);
    EXPECT_THAT(newer.error().message(), testing::AllOf(HasSubstr("99"), HasSubstr(file.string()), HasSubstr("move")));
  }
  EXPECT_TRUE(fs::exists(file));
}

TEST_F(JournalTest, MovesABrokenOneAsideAndSaysSo) {
  std::ofstream(file) << std::string(4096, 'x');
  const auto foreign = Journal::open(file);
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message(), HasSubstr("move it away"));
  auto journal = Journal::open_or_replace(file);
  ASSERT_TRUE(journal) << journal.error().message();
  ASSERT_EQ(journal->notes().size(), 1U);
  EXPECT_THAT(journal->notes()[0], HasSubstr("journal.sqlite.broken"));
  EXPECT_TRUE(fs::exists(folder / "journal.sqlite.broken"));
  EXPECT_TRUE(journal->start_run("foo", "key", "now"));
}

TEST_F(JournalTest, NoticesDamageInTheMiddle) {
  {
    Begun begun = begin();
    JournaledEvaluator journaled(evaluator, begun.journal, begun.run, clock, nullptr);
    for (int k = 0; k < 200; ++k) journaled.evaluate(variant(std::to_string(1 + k)), Thoroughness::Quick).value();
  }
  std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
  for (long page = 2; page < 20; ++page) damaged.seekp(page * 4096), damaged << std::string(512, 'x');
  damaged.close();
  auto journal = Journal::open_or_replace(file);
  ASSERT_TRUE(journal) << journal.error().message();
  EXPECT_EQ(journal->notes().size(), 1U);
  EXPECT_TRUE(journal->latest().empty());
}

TEST_F(JournalTest, SaysWhereItCannotBe) {
  const auto journal = Journal::open_or_replace("/proc/kopt/journal.sqlite");
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message(), testing::AllOf(HasSubstr("/proc/kopt"), HasSubstr("permissions")));
}

} // namespace
} // namespace kopt
