// Statistics of paired timings. A block is four calls in the order ABBA or BAAB, A the baseline and B the candidate: slow drift
// cancels in its log-ratio. A round is one block of every timed case. Intervals are order statistics of the median, so they
// assume no distribution.
#pragma once

#include <cstddef>
#include <vector>

namespace kopt {

struct Block {
  double baseline_ns[2] = {0, 0};
  double variant_ns[2] = {0, 0};

  // Positive where the variant is faster.
  [[nodiscard]] double log_ratio() const;
};

struct Interval {
  double estimate = 0, low = 0, high = 0;
  double confidence = 0; // attained; below what was asked for when there are too few samples
};

// The median and its interval. With too few samples for `confidence` (8 for 0.99) the interval is the whole range, widened by
// its own width and `doubt` on both sides.
[[nodiscard]] Interval median_interval(std::vector<double> samples, double confidence, double doubt = 0.03);

// Log-ratios of the whole from those of its cases, whose weights are shares of the baseline's time: the k-th compares the time
// of the baseline with the sum of what is left of each share, so that the speedup is the one that the application sees. Rounds
// that not every case has finished are left out.
[[nodiscard]] std::vector<double> combine(const std::vector<std::vector<double>> &by_case, const std::vector<double> &weights);

// From log-ratios to speedups.
[[nodiscard]] Interval exponential(const Interval &interval);

[[nodiscard]] double median(std::vector<double> values);

enum class Decision { Faster, Same, Slower, Inconclusive };

// Of an interval of speedups: faster only above `min_speedup` (and above 1), slower only below 1 / 1.02, same only within 2 %
// of 1.
[[nodiscard]] Decision decide(const Interval &speedup, double min_speedup);

// Whether more samples would not help: the half-width of the log interval is below 0.5 %, or small against the effect itself.
[[nodiscard]] bool narrow_enough(const Interval &log_interval);

} // namespace kopt
