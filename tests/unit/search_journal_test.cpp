#include "search/journal.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

namespace kopt {
namespace {

class JournalTest : public ::testing::Test {
protected:
  JournalTest()
      : folder(fs::temp_directory_path() / ("kopt_journal_test_" + std::to_string(::getpid()))),
        file(folder / "journal.sqlite") {
    fs::remove_all(folder);
  }
  ~JournalTest() override { fs::remove_all(folder); }
  fs::path folder, file;
};

struct CountingEvaluator final : Evaluator {
  int calls = 0;
  Verdict evaluate(const Variant &, Thoroughness) override {
    ++calls;
    Verdict verdict;
    verdict.kind = VerdictKind::Faster;
    verdict.speedup = 2;
    return verdict;
  }
};

Variant variant(const std::string &text) {
  Variant result;
  result.text = text;
  return result;
}

TEST_F(JournalTest, AnInterruptedRunGoesOnWithoutJudgingTwice) {
  CountingEvaluator evaluator;
  for (int attempt = 0; attempt < 2; ++attempt) { // the second opening stands for the process after a kill
    Journal journal = Journal::open(file).value();
    const long run = journal.start_run("foo", "key", "date").value();
    JournaledEvaluator journaled(evaluator, journal, run, "date");
    EXPECT_EQ(journaled.evaluate(variant("a"), Thoroughness::Quick).speedup, 2);
    EXPECT_EQ(journal.evaluations(run), 1);
  }
  EXPECT_EQ(evaluator.calls, 1);
}

TEST_F(JournalTest, AFinishedRunOrAnotherKeyStartsAnew) {
  Journal journal = Journal::open(file).value();
  const long first = journal.start_run("foo", "key", "date").value();
  EXPECT_EQ(journal.start_run("foo", "key", "date").value(), first);
  EXPECT_NE(journal.start_run("foo", "other", "date").value(), first);
  ASSERT_TRUE(journal.finish_run(first));
  EXPECT_NE(journal.start_run("foo", "key", "date").value(), first);
}

TEST_F(JournalTest, QuickAndFullAreDifferentQuestions) {
  CountingEvaluator evaluator;
  Journal journal = Journal::open(file).value();
  JournaledEvaluator journaled(evaluator, journal, journal.start_run("foo", "k", "d").value(), "d");
  journaled.evaluate(variant("a"), Thoroughness::Quick);
  journaled.evaluate(variant("a"), Thoroughness::Full);
  EXPECT_EQ(evaluator.calls, 2);
}

TEST_F(JournalTest, RefusesANewerVersionAndForeignFiles) {
  fs::create_directories(folder);
  sqlite3 *database = nullptr;
  sqlite3_open(file.c_str(), &database);
  sqlite3_exec(database, "PRAGMA user_version = 99", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  const auto newer = Journal::open(file);
  ASSERT_FALSE(newer);
  EXPECT_NE(newer.error().what.find("99"), std::string::npos);
  std::ofstream(folder / "text") << std::string(4096, 'x');
  EXPECT_FALSE(Journal::open(folder / "text"));
}

} // namespace
} // namespace kopt
