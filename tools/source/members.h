// Members: static member functions and call operators without state as kernels. The variant stands ahead of the kernel's
// definition and outside of its class, which decides what the kernel may use of the class.
#pragma once

#include "core/error.h"

#include <clang/AST/Decl.h>

namespace kopt {

// Why this member function cannot be a kernel; nothing to say of other functions.
[[nodiscard]] Result<void> check_member(const clang::FunctionDecl &kernel);

} // namespace kopt
