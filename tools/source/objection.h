// Objection: what a kernel does, itself or through functions of the project, that makes a call of it more than a function of
// what it receives: state kept from call to call, jumps out of it, talk with the outside, questions to a runtime. Such a call
// cannot be recorded and replayed, or a variant of it not be put in its place.
#pragma once

#include "core/error.h"

namespace clang {
class FunctionDecl;
} // namespace clang

namespace kopt {

// An Error that names the construct, the place and what to do instead.
[[nodiscard]] Result<void> check_constructs(const clang::FunctionDecl &kernel);

} // namespace kopt
