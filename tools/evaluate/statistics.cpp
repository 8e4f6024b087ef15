#include "evaluate/statistics.h"

#include <algorithm>
#include <cmath>

namespace kopt {

namespace {

constexpr double practical = 1.02; // differences within 2 % are no difference

// P(Binomial(n, 1/2) <= k)
double binomial_tail(std::size_t n, std::size_t k) {
  double total = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    const auto real_n = static_cast<double>(n), real_i = static_cast<double>(i);
    total +=
        std::exp(std::lgamma(real_n + 1) - std::lgamma(real_i + 1) - std::lgamma(real_n - real_i + 1) - real_n * std::log(2.0));
  }
  return total;
}

// The largest k such that [x_(k), x_(n-k+1)] (counted from 1) covers the median with this confidence; 0 if none does.
std::size_t rank_for(std::size_t n, double confidence) {
  std::size_t rank = 0;
  while (rank < n / 2 && 1 - 2 * binomial_tail(n, rank) >= confidence) ++rank;
  return rank;
}

} // namespace

double Block::log_ratio() const {
  return (std::log(baseline_ns[0]) + std::log(baseline_ns[1]) - std::log(variant_ns[0]) - std::log(variant_ns[1])) / 2;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) / 2;
}

Interval median_interval(std::vector<double> samples, double confidence, double doubt) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  const double middle = median(samples);
  if (const std::size_t rank = rank_for(n, confidence); rank > 0)
    return {middle, samples[rank - 1], samples[n - rank], 1 - 2 * binomial_tail(n, rank - 1)};
  const double widening = samples.back() - samples.front() + doubt;
  return {middle, samples.front() - widening, samples.back() + widening,
          n > 1 ? 1 - std::pow(2.0, 1.0 - static_cast<double>(n)) : 0};
}

std::vector<double> combine(const std::vector<std::vector<double>> &by_case, const std::vector<double> &weights) {
  std::size_t rounds = by_case.empty() ? 0 : by_case.front().size();
  for (const auto &samples : by_case) rounds = std::min(rounds, samples.size());
  double total = 0;
  for (const double weight : weights) total += weight;
  std::vector<double> combined(rounds, 0);
  for (std::size_t round = 0; round < rounds; ++round) {
    double left = 0; // of the baseline's time
    for (std::size_t k = 0; k < by_case.size(); ++k)
      left += (total > 0 ? weights[k] / total : 1.0 / static_cast<double>(by_case.size())) * std::exp(-by_case[k][round]);
    combined[round] = -std::log(left);
  }
  return combined;
}

Interval exponential(const Interval &interval) {
  return {std::exp(interval.estimate), std::exp(interval.low), std::exp(interval.high), interval.confidence};
}

Decision decide(const Interval &speedup, double min_speedup) {
  if (speedup.low > std::max(min_speedup, 1.0)) return Decision::Faster;
  if (speedup.high < 1 / practical) return Decision::Slower;
  if (speedup.low >= 1 / practical && speedup.high <= practical) return Decision::Same;
  return Decision::Inconclusive;
}

bool narrow_enough(const Interval &log_interval) {
  const double half_width = (log_interval.high - log_interval.low) / 2;
  return half_width <= std::max(0.005, 0.05 * std::fabs(log_interval.estimate));
}

} // namespace kopt
