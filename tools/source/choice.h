// Choice: which of the functions that a kernel's name may mean is meant, and what to write where that is not clear.
#pragma once

#include "core/error.h"
#include "core/spec.h"
#include "source/finder.h"

#include <clang/AST/Decl.h>

#include <string>
#include <vector>

namespace kopt {

// A function as a user may name it, kept beyond the life of its AST.
struct FunctionName {
  std::string plain;       // ns::foo, ns::axpy<float, 4>
  std::string overload;    // ns::foo(int,float*)
  std::string file, where; // of its definition: a path, and "path:line"

  friend bool operator==(const FunctionName &, const FunctionName &) = default;
};
[[nodiscard]] FunctionName function_name(const clang::FunctionDecl &function, const ProjectFiles &project);

// The error for a name that several functions have, with what to write for each of them.
[[nodiscard]] Error ambiguous(const KernelName &kernel, const std::vector<FunctionName> &functions);

// The error for templates of the kernel's name (as "ns::scale (path:line)") without an instantiation as asked for. `made`: the
// instantiations that there are.
[[nodiscard]] Error not_instantiated(const Spec &spec, const KernelName &kernel, const std::vector<FunctionName> &templates,
                                     const std::vector<FunctionName> &made);

} // namespace kopt
