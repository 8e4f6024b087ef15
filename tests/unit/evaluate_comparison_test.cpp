#include "evaluate/comparison.h"

#include "evaluate_fixture.h"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace kopt::testing {
namespace {

using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

// One buffer of one element type, and what the baseline does to it.
class Comparing : public ::testing::Test {
protected:
  void set_up(const Element &element, bool read, bool written, const Bytes &before, const Bytes &expected) {
    Region region;
    region.name = "y";
    region.element = element;
    region.size = before.size();
    region.read = read;
    region.written = written;
    shape.buffers = {region};
    untouched.buffers.assign(1, {});
    noise.buffers = {0};
    image_before.buffers = {before};
    image_expected.buffers = {expected};
  }
  template <typename T> void set_up_floats(const std::vector<T> &expected) {
    set_up({"T", "float", sizeof(T), true, {}}, true, true, bytes_of(std::vector<T>(expected.size(), T(42))),
           bytes_of(expected));
  }
  Comparison compared(const Bytes &got, const Tolerance &tolerance = {}) const {
    Image image;
    image.buffers = {got};
    return compare({&shape, &image_before, &image_expected, &untouched, &noise, poison}, View(image), tolerance);
  }

  Shape shape;
  Image image_before, image_expected;
  Masks untouched;
  Noise noise;
  std::optional<std::uint8_t> poison;
};

TEST_F(Comparing, IdenticalAgrees) {
  set_up_floats<double>({1, 2, 3});
  const Comparison comparison = compared(bytes_of<double>({1, 2, 3}));
  EXPECT_TRUE(comparison.agrees && comparison.identical);
  EXPECT_EQ(comparison.worst_error, 0);
}

TEST_F(Comparing, WithoutNoiseOnly32EpsilonPass) {
  set_up_floats<double>({1, 1});
  EXPECT_TRUE(compared(bytes_of<double>({1, 1 + 0x1p-48})).agrees);
  const Comparison comparison = compared(bytes_of<double>({1, 1 + 0x1p-46}));
  EXPECT_FALSE(comparison.agrees);
  EXPECT_EQ(comparison.reason, "wrong result in y");
  EXPECT_THAT(comparison.evidence, HasSubstr("y[1]: expected 1, got 1.0000000000000142"));
}

TEST_F(Comparing, NoiseWidensTheLimitUpToTheGivenOne) {
  set_up_floats<double>({1, 1});
  noise.buffers = {1e-11};
  EXPECT_TRUE(compared(bytes_of<double>({1, 1 + 7e-11})).agrees);
  EXPECT_FALSE(compared(bytes_of<double>({1, 1 + 9e-11})).agrees);
  noise.buffers = {1};
  EXPECT_FALSE(compared(bytes_of<double>({1, 1 + 2e-9})).agrees) << "the given tolerance is the upper bound";
  EXPECT_TRUE(compared(bytes_of<double>({1, 1 + 2e-9}), {1e-6, 0}).agrees);
}

TEST_F(Comparing, AbsoluteToleranceLetsSmallDifferencesPass) {
  set_up_floats<double>({1, 1e-20});
  EXPECT_TRUE(compared(bytes_of<double>({1 + 1e-7, 0}), {1e-9, 1e-6}).agrees);
}

TEST_F(Comparing, SmallElementsAreMeasuredAgainstTheWholeBuffer) {
  set_up_floats<double>({1, 1, 1, 1e-20});
  EXPECT_TRUE(compared(bytes_of<double>({1, 1, 1, 2e-20})).agrees);
  set_up_floats<double>({1e-20, 1e-20});
  EXPECT_FALSE(compared(bytes_of<double>({1e-20, 2e-20})).agrees);
}

TEST_F(Comparing, HugeValuesDoNotOverflowTheMetric) {
  set_up_floats<double>({1e300, 1e300});
  EXPECT_FALSE(compared(bytes_of<double>({1e300, 2e300})).agrees);
}

TEST_F(Comparing, FloatsHaveTheirOwnEpsilon) {
  set_up_floats<float>({1, 1});
  EXPECT_TRUE(compared(bytes_of<float>({1, 1 + 0x1p-20F})).agrees);
  EXPECT_FALSE(compared(bytes_of<float>({1, 1 + 0x1p-15F})).agrees);
}

TEST_F(Comparing, NaNAgreesWithNaNAlone) {
  set_up_floats<double>({nan, 1, infinity});
  EXPECT_TRUE(compared(bytes_of<double>({nan, 1, infinity})).agrees);
  EXPECT_FALSE(compared(bytes_of<double>({1, 1, infinity}), {1e9, 1e9}).agrees);
  EXPECT_FALSE(compared(bytes_of<double>({nan, nan, infinity}), {1e9, 1e9}).agrees);
  EXPECT_FALSE(compared(bytes_of<double>({nan, 1, -infinity}), {1e9, 1e9}).agrees);
}

TEST_F(Comparing, IntegersMustAgreeInEveryBit) {
  set_up({"int", "integer", 4, true, {}}, true, true, bytes_of<int>({0, 0}), bytes_of<int>({7, 1000000}));
  const Comparison comparison = compared(bytes_of<int>({7, 1000001}), {1, 100});
  EXPECT_FALSE(comparison.agrees);
  EXPECT_EQ(comparison.evidence, "y[1]: expected 1000000, got 1000001");
}

TEST_F(Comparing, InputsMustNotChange) {
  set_up({"double", "float", 8, true, {}}, true, false, bytes_of<double>({1, 2}), bytes_of<double>({1, 2}));
  EXPECT_TRUE(compared(bytes_of<double>({1, 2})).agrees);
  EXPECT_EQ(compared(bytes_of<double>({1, std::nextafter(2.0, 3.0)})).reason, "changes its input y");
}

TEST_F(Comparing, WhatTheBaselineLeavesAloneMustKeepItsPoison) {
  set_up({"double", "float", 8, true, {}}, false, true, bytes_of<double>({0, 0}), bytes_of<double>({1, 0}));
  untouched.buffers[0].assign(16, 0);
  std::fill_n(untouched.buffers[0].begin() + 8, 8, 1);
  poison = 0x5a;
  Bytes got = bytes_of<double>({1, 0});
  std::fill_n(got.begin() + 8, 8, 0x5a);
  EXPECT_TRUE(compared(got).agrees);
  EXPECT_EQ(compared(bytes_of<double>({1, 0})).reason, "writes y[1], which the kernel leaves alone");
}

TEST_F(Comparing, StructsAreComparedFieldByFieldWithoutPadding) {
  struct Cell {
    double value;
    int tag;
  };
  const Element element{"Cell", "struct", sizeof(Cell), true, {{"value", "float", 8, 0, 1}, {"tag", "integer", 4, 8, 1}}};
  set_up(element, true, true, bytes_of<Cell>({{0, 0}}), bytes_of<Cell>({{1, 5}}));
  Bytes got = bytes_of<Cell>({{1 + 0x1p-50, 5}});
  got[13] = 0xee; // padding
  EXPECT_TRUE(compared(got).agrees);
  EXPECT_FALSE(compared(bytes_of<Cell>({{1, 6}}), {1, 1}).agrees);
  EXPECT_FALSE(compared(bytes_of<Cell>({{1.1, 5}})).agrees);
}

TEST(ToleranceLimits, DependOnTheType) {
  EXPECT_DOUBLE_EQ(given_limit(8, {}), 1e-9);
  EXPECT_DOUBLE_EQ(given_limit(4, {}), 1e-5);
  EXPECT_DOUBLE_EQ(given_limit(4, {1e-3, 0}), 1e-3);
  EXPECT_DOUBLE_EQ(error_limit(8, {}, 0), 32 * 0x1p-52);
  EXPECT_DOUBLE_EQ(error_limit(8, {}, 1e-12), 8e-12);
  EXPECT_DOUBLE_EQ(error_limit(8, {}, 1), 1e-9);
}

} // namespace
} // namespace kopt::testing
