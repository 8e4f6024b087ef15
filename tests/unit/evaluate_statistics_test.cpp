#include "evaluate/statistics.h"

#include "evaluate/contents.h"

#include <cmath>
#include <gtest/gtest.h>

namespace kopt {
namespace {

TEST(Statistics, LogRatioOfABlockIsPositiveWhereTheVariantIsFaster) {
  EXPECT_NEAR((Block{{200, 200}, {100, 100}}.log_ratio()), std::log(2.0), 1e-12);
  EXPECT_NEAR((Block{{100, 130}, {110, 120}}.log_ratio()), std::log(100.0 * 130 / (110 * 120)) / 2, 1e-12);
}

TEST(Statistics, DriftInTheOrderABBACancels) {
  // Each call takes 10 % longer than the one before; A and B are the same.
  const double t = 100, g = 1.1;
  EXPECT_NEAR((Block{{t, t * g * g * g}, {t * g, t * g * g}}.log_ratio()), 0, 1e-12);
}

TEST(Statistics, MedianOfEvenAndOdd) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(Statistics, EightSamplesAreTheFewestThatReach99Percent) {
  const Interval eight = median_interval({1, 2, 3, 4, 5, 6, 7, 8}, 0.99);
  EXPECT_EQ(eight.low, 1);
  EXPECT_EQ(eight.high, 8);
  EXPECT_NEAR(eight.confidence, 1 - std::pow(2.0, -7), 1e-12);
  const Interval seven = median_interval({1, 2, 3, 4, 5, 6, 7}, 0.99);
  EXPECT_LT(seven.confidence, 0.99);
  EXPECT_LT(seven.low, 1 - 6) << "widened by its own width";
}

TEST(Statistics, RanksAreThoseOfTheBinomialTable) {
  // For n = 20 and 99 % the tables give the 4th smallest and the 4th largest.
  std::vector<double> samples;
  for (int k = 1; k <= 20; ++k) samples.push_back(k);
  const Interval interval = median_interval(samples, 0.99);
  EXPECT_EQ(interval.low, 4);
  EXPECT_EQ(interval.high, 17);
}

TEST(Statistics, CombinedSamplesCompareTheTimesOfFinishedRounds) {
  // Three quarters of the time twice as fast, a quarter as before: 1 / (3/8 + 1/4).
  const auto combined = combine({{std::log(2.0), 0, 3}, {0, std::log(0.5)}}, {3, 1});
  ASSERT_EQ(combined.size(), 2U);
  EXPECT_DOUBLE_EQ(std::exp(combined[0]), 1.6);
  EXPECT_DOUBLE_EQ(std::exp(combined[1]), 1 / (0.75 + 0.25 * 2));
  EXPECT_LT(std::exp(combine({{std::log(100.0)}, {0}}, {1, 1})[0]), 2) << "what is not faster stays";
}

TEST(Statistics, DecisionsNeedTheWholeInterval) {
  EXPECT_EQ(decide({1.1, 1.03, 1.2, 0.99}, 1.02), Decision::Faster);
  EXPECT_EQ(decide({1.1, 1.01, 1.2, 0.99}, 1.02), Decision::Inconclusive);
  EXPECT_EQ(decide({1.1, 1.03, 1.2, 0.99}, 1.05), Decision::Inconclusive);
  EXPECT_EQ(decide({1.0, 0.99, 1.01, 0.99}, 1.02), Decision::Same);
  EXPECT_EQ(decide({0.9, 0.85, 0.95, 0.99}, 1.02), Decision::Slower);
  EXPECT_EQ(decide({0.9, 0.85, 0.99, 0.99}, 1.02), Decision::Inconclusive);
  EXPECT_NE(decide({1.0, 0.99, 1.01, 0.99}, 0.5), Decision::Faster) << "a threshold below 1 does not make slower faster";
}

// Times as a busy machine gives them: a common speed that drifts, skewed noise, and now and then something ten times as long.
class BusyMachine {
public:
  explicit BusyMachine(std::uint64_t seed) : random_(seed) {}
  double time(double work) {
    drift_ += 0.01 * (random_.uniform() - 0.5);
    const double noise = -0.03 * std::log(1 - random_.uniform());
    const double disturbance = random_.uniform() < 0.05 ? 10 * random_.uniform() : 0;
    return work * std::exp(drift_) * (1 + noise + disturbance);
  }
  Block block(double baseline, double variant) {
    Block block;
    const bool baseline_outside = random_.next() % 2 == 0;
    double *outside = baseline_outside ? block.baseline_ns : block.variant_ns,
           *inside = baseline_outside ? block.variant_ns : block.baseline_ns;
    const double outer = baseline_outside ? baseline : variant, inner = baseline_outside ? variant : baseline;
    outside[0] = time(outer), inside[0] = time(inner), inside[1] = time(inner), outside[1] = time(outer);
    return block;
  }
  // As a race does: rounds until the interval is narrow.
  Decision race(double baseline, double variant) {
    std::vector<double> ratios;
    Interval interval;
    for (int round = 0; round < 60; ++round) {
      ratios.push_back(block(baseline, variant).log_ratio());
      interval = median_interval(ratios, 0.99);
      if (round >= 8 && narrow_enough(interval)) break;
    }
    return decide(exponential(interval), 1.02);
  }

private:
  Random random_;
  double drift_ = 0;
};

TEST(Statistics, OriginalAgainstItselfHardlyEverWins) {
  int wins = 0, losses = 0;
  constexpr int repeats = 2000;
  for (int k = 0; k < repeats; ++k) {
    const Decision decision = BusyMachine(static_cast<std::uint64_t>(k) * 7919 + 1).race(1e6, 1e6);
    wins += decision == Decision::Faster;
    losses += decision == Decision::Slower;
  }
  EXPECT_LE(wins, repeats / 200) << "0.5 % is half of what the confidence allows";
  EXPECT_LE(losses, repeats / 200);
}

TEST(Statistics, ARealGainIsFound) {
  int wins = 0;
  for (int k = 0; k < 200; ++k) wins += BusyMachine(static_cast<std::uint64_t>(k) + 1).race(1.2e6, 1e6) == Decision::Faster;
  EXPECT_GE(wins, 190);
}

} // namespace
} // namespace kopt
