// Comparison: a candidate's memory after a call against what the baseline leaves there. Integers, and everything the baseline
// does not write, must agree in every bit. Floating-point values may differ by an error within a limit: error = max |c - b| /
// max(|b|, rms(b)) over a buffer, c the candidate's and b the baseline's value. NaN agrees with NaN alone. Padding inside
// structs is ignored.
#pragma once

#include "evaluate/shape.h"
#include "evaluate/tolerance.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

// One byte per byte of a region: 1 where the baseline leaves it untouched. Empty: nothing is known to stay untouched.
using Mask = std::vector<std::uint8_t>;

struct Masks {
  std::vector<Mask> buffers, scalars;
};

// The noise of each region, in the metric above.
struct Noise {
  std::vector<double> buffers, scalars;
  int dropped = 0; // runs that gave NaN or faulted and so say nothing
};

struct Expectation {
  const Shape *shape = nullptr;
  const Image *before = nullptr;   // contents that the call was given
  const Image *expected = nullptr; // what the baseline left; in untouched bytes of write-only regions anything
  const Masks *untouched = nullptr;
  const Noise *noise = nullptr;
  std::optional<std::uint8_t> poison; // what write-only regions held instead of their contents
};

struct Comparison {
  bool agrees = true;
  bool identical = true;  // in every bit that counts
  double worst_error = 0; // largest error among regions whose values could be compared
  std::string reason;     // "wrong result in y", "changes its input x"
  std::string evidence;   // "y[3]: expected 1.5, got 2.5 (error 0.4, limit 1e-9)"
};

[[nodiscard]] Comparison compare(const Expectation &expectation, const View &got, const Tolerance &given);

// The largest error of `got` over one region; infinite where NaN or infinity meet something else. For measuring noise.
[[nodiscard]] double region_error(const Region &region, std::span<const std::uint8_t> expected,
                                  std::span<const std::uint8_t> got, const Mask &untouched);

} // namespace kopt
