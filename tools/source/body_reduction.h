// Reduction: a statement whose only effect is target = target op expression, the expression not reading the target.
#pragma once

#include "source/body_kernel.h"

namespace kopt::body {

// `statement` is an expression, or `if (x > m) m = x;`; `node` has its accesses and scalars already.
[[nodiscard]] std::optional<Reduction> reduction_of(const Kernel &kernel, const clang::Stmt &statement, const Node &node);

// The assignment in `if (x > m) m = x;` and the like, when it is a maximum or minimum; else null.
[[nodiscard]] const clang::BinaryOperator *extremum_assignment(const Kernel &kernel, const clang::IfStmt &statement);

} // namespace kopt::body
