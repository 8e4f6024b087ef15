#include "evaluate/tolerance.h"

#include <algorithm>
#include <limits>

namespace kopt {

double epsilon_of(int float_size) {
  if (float_size == 4) return std::numeric_limits<float>::epsilon();
  if (float_size == 16) return static_cast<double>(std::numeric_limits<long double>::epsilon());
  return std::numeric_limits<double>::epsilon();
}

double given_limit(int float_size, const Tolerance &given) { return given.relative.value_or(float_size == 4 ? 1e-5 : 1e-9); }

double error_limit(int float_size, const Tolerance &given, double noise) {
  return std::min(given_limit(float_size, given), std::max(8 * noise, 32 * epsilon_of(float_size)));
}

} // namespace kopt
