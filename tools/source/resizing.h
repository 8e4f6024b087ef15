// Resizing: where a kernel changes which elements a container of its caller has: push_back, an assignment, a swap. A variant
// and a replay see data() and size() as they are when the kernel is called, so these must stay what they are.
#pragma once

#include "core/error.h"

namespace clang {
class FunctionDecl;
} // namespace clang

namespace kopt {

// An Error that names the place where the kernel, or a function that it passes a container to, may do so.
[[nodiscard]] Result<void> check_sizes_stay(const clang::FunctionDecl &kernel);

} // namespace kopt
