// Contents: what a case's memory holds before a call. The case gives one image; others are derived from it by perturbing its
// floating-point values, so that no call sees what an earlier one saw. Integers keep their values: they may be indices.
#pragma once

#include "evaluate/shape.h"

#include <cstdint>

namespace kopt {

// Multiplies every finite floating-point value that the kernel may read by 1 + r, r uniform in [-amplitude, amplitude]. Zeros,
// infinities and NaNs stay.
[[nodiscard]] Image perturbed(const Shape &shape, const Image &image, double amplitude, std::uint64_t seed);

// Moves every finite floating-point value to a neighbouring one, up or down by chance.
[[nodiscard]] Image nudged(const Shape &shape, const Image &image, std::uint64_t seed);

// A well-mixed sequence of 64-bit numbers (splitmix64): the same on every machine, unlike std::uniform_real_distribution.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform();                     // [0, 1)
  std::size_t below(std::size_t bound); // [0, bound)

private:
  std::uint64_t state_;
};

} // namespace kopt
