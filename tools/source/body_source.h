// Source: text and byte ranges of AST nodes in the main file, which is the closure's text.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <string>

namespace kopt::body {

struct Range { // [begin, end) in bytes; invalid when an AST node is only a part of a macro's expansion
  long begin = -1, end = -1;

  [[nodiscard]] bool valid() const { return begin >= 0; }
  [[nodiscard]] bool contains(const Range &other) const { return begin <= other.begin && other.end <= end; }
  friend bool operator==(const Range &, const Range &) = default;
};

class Source {
public:
  explicit Source(const clang::ASTContext &context);

  // As written: a node that is a whole macro call is that call's range; a part of a macro's body has none.
  [[nodiscard]] Range written(clang::SourceRange range) const;
  // The macro calls that a node comes from, widened.
  [[nodiscard]] Range expanded(clang::SourceRange range) const;
  [[nodiscard]] Range with_semicolon(Range range) const;
  [[nodiscard]] std::string text(Range range) const;
  [[nodiscard]] std::string text(const clang::Stmt &node) const { return text(expanded(node.getSourceRange())); }
  [[nodiscard]] long offset(clang::SourceLocation location) const;
  // Whether a token was spelled in a macro's body and not in an argument of its call.
  [[nodiscard]] bool in_macro_body(clang::SourceLocation location) const;

private:
  [[nodiscard]] Range range_of(clang::CharSourceRange range) const;
  const clang::SourceManager &sources_;
  const clang::LangOptions &language_;
  std::string text_;
};

// Calls visit(statement, parent) for a statement and all below it, outermost first.
template <typename Visit> void walk(const clang::Stmt *node, Visit &&visit, const clang::Stmt *parent = nullptr) {
  if (!node) return;
  visit(*node, parent);
  for (const clang::Stmt *child : node->children()) walk(child, visit, node);
}

} // namespace kopt::body
