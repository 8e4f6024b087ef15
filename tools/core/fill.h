// Fill: contents of buffers made from a description in a kopt-cases document (docs/formats.md, "Cases").
#pragma once

#include "core/expression.h"
#include "core/json.h"
#include "core/polynomial.h"
#include "core/scalar.h"

#include <cstdint>
#include <string>

namespace kopt {

// Pseudo-random numbers (splitmix64): the same sequence on every machine.
class Sequence {
public:
  explicit Sequence(std::uint64_t seed) : state_(seed) {}
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; } // [0, 1)

private:
  std::uint64_t next();
  std::uint64_t state_;
};

// `extent` elements by the keys "fill", "low", "high", "value" and "seed" of the argument; `seed` where it gives none.
[[nodiscard]] Result<Bytes> fill_buffer(const Element &element, std::size_t extent, const Json &argument, std::uint64_t seed);

// Elements listed one by one; a struct is an object by field.
[[nodiscard]] Result<Bytes> fill_values(const Element &element, const Json &values);

// A seed that depends on a text alone.
[[nodiscard]] std::uint64_t fill_seed(const std::string &text);

// A polynomial's value; overflow and unknown symbols are errors.
[[nodiscard]] Result<std::int64_t> evaluate_polynomial(const Polynomial &polynomial, const Expression::Lookup &lookup);

// The elements that an extent means.
struct Elements {
  std::int64_t first = 0, end = 0;
};
[[nodiscard]] Result<Elements> evaluate_extent(const Extent &extent, const Expression::Lookup &lookup);

} // namespace kopt
