// Kernel: the function under analysis with what is known while its body is read: its leaves, its variables, the loops that are
// open, and the helper calls that are being looked into.
//
// Frame: one such call: an expression of the helper's body means something only together with the arguments of the call. The
// kernel's own expressions have the root frame.
#pragma once

#include "core/model.h"
#include "source/body_extent.h"
#include "source/body_locals.h"
#include "source/body_source.h"

#include <clang/AST/ExprCXX.h>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kopt::body {

struct Frame {
  const clang::FunctionDecl *function = nullptr;
  const Frame *caller = nullptr; // arguments and object are expressions of the caller; none for the kernel itself
  std::map<const clang::ParmVarDecl *, const clang::Expr *> arguments;
  const clang::Expr *object = nullptr; // of a call of a member function
  int depth = 0;

  [[nodiscard]] bool is_root() const { return caller == nullptr; }
};

struct InFrame { // an expression and where it has its meaning
  const clang::Expr *expression = nullptr;
  const Frame *frame = nullptr;
};

// Parentheses, clean-ups, temporaries and casts that change nothing.
[[nodiscard]] const clang::Expr *stripped(const clang::Expr *expression);

// Where `this` has its meaning: past calls among member functions of one object.
[[nodiscard]] const Frame &frame_of_object(const Frame &frame);

class Kernel {
public:
  Kernel(clang::ASTContext &ast, const clang::FunctionDecl &definition, Model &described);

  clang::ASTContext &context;
  const clang::FunctionDecl &function;
  Model &model;
  Source source;
  Locals locals;
  Frame root;
  std::vector<const clang::VarDecl *> loops; // variables of the open loops, outermost first
  Uses uses;                                 // collected on the way

  [[nodiscard]] bool is_loop_variable(const clang::VarDecl &variable) const;
  [[nodiscard]] bool is_parameter(const clang::VarDecl &variable) const;
  // A global, or a static member; not a static local.
  [[nodiscard]] static bool is_global(const clang::VarDecl &variable);

  // The leaf that a parameter or global (or a member of it, ".a.b") became; null if none.
  [[nodiscard]] const Leaf *leaf(const clang::VarDecl &variable, const std::string &members = {}) const;
  // The leaf ".data()" or ".size()" of the container that an lvalue denotes; null if it is none of the kernel's. Neither
  // changes while the kernel runs: extraction has seen to that.
  [[nodiscard]] const Leaf *container_leaf(const clang::Expr &object, const char *what, const Frame &frame) const;
  // The outermost variable that an lvalue lies in, through reference parameters of helpers and `this`; none for memory behind a
  // pointer.
  [[nodiscard]] Storage storage(const clang::Expr *lvalue, const Frame &frame) const;

  // What a call of a small helper returns: its body is one return statement, after declarations; nothing in it assigns.
  [[nodiscard]] std::optional<InFrame> inlined(const clang::CallExpr &call, const Frame &frame);
  // What a helper's parameter stands for; nothing for other variables.
  [[nodiscard]] static std::optional<InFrame> argument(const clang::VarDecl &variable, const Frame &frame);
  // The one value of a local variable of the kernel or of a helper in `frame`; nothing if there is not exactly one.
  [[nodiscard]] std::optional<InFrame> value(const clang::VarDecl &variable, const clang::Expr &use, const Frame &frame);
  // Whether the kernel, or for a global anything that it calls, may write the variable or this member of it.
  [[nodiscard]] bool changes(const clang::VarDecl &variable, const std::string &members = {}) const;
  [[nodiscard]] const Locals &locals_of(const clang::FunctionDecl &definition);

  // A name in this code that the kernel declares twice in overlapping scopes, or that hides a leaf; empty if there is none.
  [[nodiscard]] std::string shadowed_name(const clang::Stmt &code) const;

  [[nodiscard]] int line(long offset) const; // in the kernel's own file
  void note(clang::SourceLocation location, const std::string &text);
  [[nodiscard]] std::string spelled(clang::QualType type) const;
  [[nodiscard]] std::string declarator(clang::QualType type, const std::string &name) const; // "double a[4]", "int *p"

private:
  void find_written_globals(const clang::Stmt *code, std::set<const clang::FunctionDecl *> &seen);
  void find_shadowed(const clang::Stmt *node, std::set<std::string> &visible);
  std::set<std::string> shadowed_;
  std::set<const clang::VarDecl *> written_by_callees_;
  std::deque<Frame> frames_;
  std::map<const clang::FunctionDecl *, std::unique_ptr<Locals>> callee_locals_;
};

} // namespace kopt::body
