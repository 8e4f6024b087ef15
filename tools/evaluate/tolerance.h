// Tolerance: how far a floating-point result may be from the baseline's. The given relative tolerance is an upper bound; within
// it a candidate may be no worse than a small multiple of the baseline's own noise, measured by rounding in other directions
// and by nudging inputs to neighbouring values.
#pragma once

#include <optional>

namespace kopt {

struct Tolerance {
  std::optional<double> relative; // default: 1e-9, and 1e-5 for float
  double absolute = 0;            // differences up to this always pass
};

// 2^-52 for double, by the size of the type in bytes.
[[nodiscard]] double epsilon_of(int float_size);

// The given bound for a floating-point type of this size.
[[nodiscard]] double given_limit(int float_size, const Tolerance &given);

// The error that may pass: min(given, max(8 noise, 32 epsilon)). `noise` is in the metric of comparison.h.
[[nodiscard]] double error_limit(int float_size, const Tolerance &given, double noise);

} // namespace kopt
