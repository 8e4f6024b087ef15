// Leaves: the flat calling convention of a kernel (docs/formats.md, "Leaves"), from the types of its parameters, the mutable
// globals of its closure and its result.
#pragma once

#include "core/model.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <vector>

namespace kopt {

struct Convention {
  std::vector<Parameter> parameters;
  std::vector<Leaf> leaves;
};

// Fails for what has no flat form yet: functions as arguments, pointers to pointers, objects with private state or a way of
// their own to be copied.
[[nodiscard]] Result<Convention> convention_of(const clang::ASTContext &context, const clang::FunctionDecl &kernel,
                                               const std::vector<const clang::VarDecl *> &globals);

} // namespace kopt
