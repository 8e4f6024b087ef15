// What the programs of the suite share: contents that are the same in every run, printed sums, and checks that do not trust
// the kernel. Numbers go to stdout, where two runs can be compared.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace suite {

using Vector = std::vector<double>;

// Numbers in [low, high), another sequence for each seed.
inline void fill(double *x, std::size_t count, double low, double high, std::uint32_t seed) {
  std::uint64_t state = 0x9E3779B97F4A7C15ULL * (seed + 1);
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    x[i] = low + (high - low) * static_cast<double>(state >> 11) / 9007199254740992.0;
  }
}

inline Vector random_vector(std::size_t count, double low, double high, std::uint32_t seed) {
  Vector x(count);
  fill(x.data(), count, low, high, seed);
  return x;
}

// y = A x and y = A^T x for a matrix of rows x columns stored by rows.
inline Vector times(const double *a, int rows, int columns, const Vector &x) {
  Vector y(static_cast<std::size_t>(rows), 0.0);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) y[i] += a[static_cast<std::size_t>(i) * columns + j] * x[j];
  return y;
}

inline Vector transposed_times(const double *a, int rows, int columns, const Vector &x) {
  Vector y(static_cast<std::size_t>(columns), 0.0);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) y[j] += a[static_cast<std::size_t>(i) * columns + j] * x[i];
  return y;
}

// a x + b y
inline Vector combine(double a, const Vector &x, double b, const Vector &y) {
  Vector z(x.size());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = a * x[i] + b * y[i];
  return z;
}

inline double dot(const Vector &x, const Vector &y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// The largest difference, in units of the largest value.
inline double distance(const Vector &x, const Vector &y) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double d = std::fabs(x[i] - y[i]);
    if (!(d <= difference)) difference = d; // a NaN stays
    size = std::fmax(size, std::fabs(y[i]));
  }
  return size > 0 ? difference / size : INFINITY;
}

inline double distance(double x, double y) { return distance(Vector{x}, Vector{y}); }

// Two sums over magnitudes, the second of which notices values in each other's place.
inline void print(const char *name, const double *x, std::size_t count) {
  double sum = 0, weighted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += std::fabs(x[i]);
    weighted += std::fabs(x[i]) * static_cast<double>(1 + i % 13);
  }
  std::printf("%s: %.10e %.10e\n", name, sum, weighted);
}

// Says whether a result is within rounding of what it must be; main returns it.
inline int verdict(double error, double limit = 1e-10) {
  const bool right = error <= limit;
  std::printf("check: %s\n", right ? "ok" : "WRONG");
  if (!right) std::fprintf(stderr, "relative error %.3e, at most %.3e expected\n", error, limit);
  return right ? 0 : 1;
}

} // namespace suite
