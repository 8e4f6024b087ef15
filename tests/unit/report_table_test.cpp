#include "report/table.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

TEST(Table, AlignsColumnsAndUnderlinesTheHeader) {
  Table table({"kernel", "best"});
  table.add({"a", "1 ms"});
  table.add({"longer name", "2 ms"});
  EXPECT_EQ(table.text(), "kernel       best\n-----------  ----\na            1 ms\nlonger name  2 ms\n");
}

TEST(Table, TimesHaveThreeDigits) {
  EXPECT_EQ(time_text(0), "-");
  EXPECT_EQ(time_text(950), "950 ns");
  EXPECT_EQ(time_text(1234), "1.23 us");
  EXPECT_EQ(time_text(2.5e9), "2.5 s");
}

TEST(Table, SpeedupsCarryTheirInterval) {
  Verdict verdict;
  EXPECT_EQ(speedup_text(verdict), "-");
  verdict.speedup = 4.1, verdict.low = 4.02, verdict.high = 4.19;
  EXPECT_EQ(speedup_text(verdict), "4.10x [4.02, 4.19]");
}

TEST(Table, NamesCasesWithTheirSharesWhereThereAreSeveral) {
  Verdict verdict;
  verdict.cases = {{"call-1", 3.1, 3, 3.2, 31, 10, 8, 0.62}};
  EXPECT_EQ(cases_text(verdict), "");
  verdict.cases.push_back({"call-12", 1.2, 1, 1.3, 12, 10, 8, 0.38});
  EXPECT_EQ(cases_text(verdict), "call-1 (62 % of the time) 3.10x, call-12 (38 %) 1.20x");
}

} // namespace
} // namespace kopt
