// Affine: integer expressions as polynomials over scalar leaves and loop variables. Constants are folded, locals with one value
// replaced by it, small helpers looked into. Arithmetic is taken to be that of the integers: a note says so where a type would
// wrap.
#pragma once

#include "source/body_kernel.h"

namespace kopt::body {

// A polynomial, or in a few words why there is none.
using Form = tl::expected<Polynomial, std::string>;

[[nodiscard]] Form affine(Kernel &kernel, const clang::Expr *expression, const Frame &frame);

// The values that an integer expression may have, where those are few: of a local that branches set, of min, max and ?:. Empty
// where there is one that is no polynomial.
[[nodiscard]] std::vector<Polynomial> candidates(Kernel &kernel, const clang::Expr *expression, const Frame &frame);

// A condition as polynomials that are all >= 0 exactly when it holds (or, negated, when it does not); none if it is no
// conjunction of those.
[[nodiscard]] std::optional<std::vector<Polynomial>> constraints(Kernel &kernel, const clang::Expr *condition, bool negated);

} // namespace kopt::body
