// Locals: which variables a function writes, and where; the facts behind substituting locals that are assigned once.
#pragma once

#include "source/body_source.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <map>
#include <string>
#include <vector>

namespace kopt::body {

struct Write {
  const clang::Stmt *where = nullptr;         // the assignment, increment ...
  std::string members;                        // ".sum" when a member of a struct is written
  const clang::Expr *value = nullptr;         // of a plain assignment that is a statement of its own
  const clang::CompoundStmt *block = nullptr; // the block that statement stands in
  const clang::Expr *assigned = nullptr;      // of any plain assignment
  bool exposed = false;                       // not a write itself: the address or a reference is handed out
};

// The variable whose own storage an lvalue denotes, with the members selected ("" or ".a.b"); none for memory behind a pointer.
struct Storage {
  const clang::VarDecl *variable = nullptr;
  std::string members;
};
[[nodiscard]] Storage storage_of(const clang::Expr *lvalue);

// The assignment of one struct to another, member by member.
[[nodiscard]] bool is_trivial_assignment(const clang::CallExpr &call);

// A global of static storage whose value never changes.
[[nodiscard]] bool is_constant_global(const clang::VarDecl &variable);

class Locals {
public:
  explicit Locals(const clang::FunctionDecl &function);

  // Whether anything in the function may change the variable (or a member, given as ".a.b") after its initialisation.
  [[nodiscard]] bool modified(const clang::VarDecl &variable, const std::string &members = {}) const;
  [[nodiscard]] bool exposed(const clang::VarDecl &variable) const;
  [[nodiscard]] const std::vector<Write> &writes(const clang::VarDecl &variable) const;
  // By canonical declaration.
  [[nodiscard]] const std::map<const clang::VarDecl *, std::vector<Write>> &all_writes() const { return writes_; }
  // The expression that gave the variable the value it has at `use`, where that is certain.
  [[nodiscard]] const clang::Expr *value(const clang::VarDecl &variable, const clang::Expr &use, const Source &source) const;

private:
  void add(const clang::Expr *lvalue, Write write);
  void visit(const clang::Stmt &node, const clang::Stmt *parent);
  void visit_call(const clang::CallExpr &call);
  void visit_declarations(const clang::DeclStmt &statement);
  std::map<const clang::VarDecl *, std::vector<Write>> writes_;
};

} // namespace kopt::body
