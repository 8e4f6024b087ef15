#include "store/output.h"

#include <gmock/gmock.h>

namespace kopt {
namespace {

using testing::HasSubstr;

OutputComparison compare(const std::string &off1, const std::string &off2, const std::string &on) {
  return compare_outputs({off1, off2}, on, {});
}

void expect_same(const OutputComparison &comparison, int numbers) {
  EXPECT_TRUE(comparison.comparable) << comparison.text;
  EXPECT_TRUE(comparison.same) << comparison.text;
  EXPECT_EQ(comparison.numbers, numbers);
}

TEST(Output, EqualTextIsTheSame) {
  const std::string text = "step 3  heat 0.25 max=1e-3\nphysics: ok\n";
  expect_same(compare(text, text, text), 3);
}

TEST(Output, ADifferentNumberIsToldWithItsLine) {
  const auto comparison = compare("a 1\nheat 0.250000\n", "a 1\nheat 0.250000\n", "a 1\nheat 0.250003\n");
  EXPECT_FALSE(comparison.same);
  EXPECT_EQ(comparison.text, "line 2: 0.250003 instead of 0.250000");
}

TEST(Output, ADifferentWordIsADifference) {
  EXPECT_EQ(compare("x 1\nphysics: ok\n", "x 1\nphysics: ok\n", "x 1\nphysics: WRONG\n").text, "line 2: WRONG instead of ok");
}

TEST(Output, TheLastPrintedDigitMayDiffer) {
  expect_same(compare("v 0.12345678\n", "v 0.12345678\n", "v 0.12345679\n"), 1);
  EXPECT_FALSE(compare("v 0.12345678\n", "v 0.12345678\n", "v 0.12345680\n").same);
  expect_same(compare("v 1.234567e-17\n", "v 1.234567e-17\n", "v 1.234568e-17\n"), 1);
  EXPECT_FALSE(compare("v 0.25\n", "v 0.25\n", "v 0.26\n").same) << "of few digits the last one counts";
  EXPECT_FALSE(compare("n 12\n", "n 12\n", "n 13\n").same) << "integers are exact";
}

TEST(Output, ToleranceIsRelativeOrAbsolute) {
  EXPECT_TRUE(compare_outputs({"v 1.000000\n"}, "v 1.000100\n", {1e-3, 0}).same);
  EXPECT_FALSE(compare_outputs({"v 1.000000\n"}, "v 1.000100\n", {1e-9, 0}).same);
  EXPECT_TRUE(compare_outputs({"v 0.000000001\n"}, "v 0.000000100\n", {1e-9, 1e-6}).same);
}

TEST(Output, WhatVariesBetweenRunsOffIsIgnored) {
  const auto comparison = compare("pid 11 at Mon\nx 2\n", "pid 12 at Tue\nx 2\n", "pid 13 at Wed\nx 2\n");
  expect_same(comparison, 1);
  EXPECT_EQ(comparison.ignored, 2);
  EXPECT_THAT(comparison.text, HasSubstr("2 that vary"));
}

TEST(Output, LinesOfVaryingShapeAreIgnored) { expect_same(compare("log a\nx 2\n", "log a b\nx 2\n", "log\nx 2\n"), 1); }

TEST(Output, TimesThatHappenToAgreeAreIgnored) {
  expect_same(compare("elapsed 0.5 s, x 2\n", "elapsed 0.5 s, x 2\n", "elapsed 0.3 s, x 2\n"), 1);
  expect_same(compare("12 MLUPS x 2\n", "12 MLUPS x 2\n", "30 MLUPS x 2\n"), 1);
  EXPECT_FALSE(compare("mass 0.5 x 2\n", "mass 0.5 x 2\n", "mass 0.3 x 2\n").same);
}

TEST(Output, MissingLinesAreADifference) {
  EXPECT_EQ(compare("x 1\ny 2\n", "x 1\ny 2\n", "x 1\n").text, "1 lines are printed instead of 2");
}

TEST(Output, NothingToCompareIsSaid) {
  for (const char *text : {"", "done\n"}) {
    const auto comparison = compare(text, text, text);
    EXPECT_FALSE(comparison.comparable);
    EXPECT_THAT(comparison.text, HasSubstr("prints no number"));
  }
  EXPECT_FALSE(compare("1 s\n", "2 s\n", "3 s\n").comparable) << "noise alone is nothing to compare";
  EXPECT_THAT(compare("x 1\n", "x 1\nx 1\n", "x 1\n").text, HasSubstr("different numbers of lines"));
  EXPECT_FALSE(compare("done\n", "done\n", "failed\n").same) << "words differ even where there is no number";
}

TEST(Output, NumbersInsideWordsAndSigns) {
  expect_same(compare("u2 = -3 (4-1)\n", "u2 = -3 (4-1)\n", "u2 = -3 (4-1)\n"), 3);
  EXPECT_FALSE(compare("v nan 1\n", "v nan 1\n", "v 0.1 1\n").same);
}

} // namespace
} // namespace kopt
