// Mentions: the leaves that a piece of code can reach, through local pointers, lambdas and the functions that it calls.
#pragma once

#include "source/body_kernel.h"

namespace kopt::body {

// Notes that code which is not modelled reaches these leaves.
void note_mentions(Kernel &kernel, const clang::Stmt &opaque);

// What the whole kernel names and writes, with what was noted.
[[nodiscard]] Uses uses_of(const Kernel &kernel);

} // namespace kopt::body
