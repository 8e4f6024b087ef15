// Loop: recognising canonical for loops.
#pragma once

#include "source/body_statement.h"

#include <clang/AST/Stmt.h>

namespace kopt::body {

struct Loop {
  const clang::VarDecl *variable = nullptr;
  Bound lower, upper; // [lower, upper), as if upward
  long step = 1;
  bool reverse = false;
  std::vector<const clang::Expr *> unknown; // bounds that are no polynomials: what they read matters
};

// The loop, or in a few words why it is not canonical. Its own variable need not be open yet.
[[nodiscard]] tl::expected<Loop, std::string> loop_of(Kernel &kernel, const clang::ForStmt &statement);

} // namespace kopt::body
