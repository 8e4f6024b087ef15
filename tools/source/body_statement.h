// Statement: what one expression or simple statement does: array accesses, local scalars, calls; and its text with a hole for
// each access.
//
// An access has a hole where its text stands in the statement by itself. An access made inside a pure helper, or inside another
// access' subscript, has none.
#pragma once

#include "source/body_place.h"
#include "source/body_purity.h"

namespace kopt {
struct ContainerCall;
} // namespace kopt

namespace kopt::body {

class Scan {
public:
  Scan(Kernel &kernel, Purity &purity) : kernel_(kernel), purity_(purity) {}

  void value(const clang::Expr *expression);
  // The statement itself writes a local scalar: its declaration with an initial value.
  void declare(const clang::VarDecl &variable);
  // A reference is bound to an lvalue: its subscripts are read, not the element.
  void bind(const clang::Expr *lvalue);
  // `kind`: read, write, update.
  void use(const clang::Expr *lvalue, const std::string &kind);
  void refuse(const std::string &reason);
  // From here on writes may or may not happen: they are reported as updates, and assignments inside expressions are refused.
  void set_conditional() { conditional_ = true; }

  [[nodiscard]] const std::string &refusal() const { return refusal_; }
  // Fills text, template, accesses, scalars and calls of a node over `range`.
  void finish(Node &node, Range range);

private:
  struct Found {
    Access access;
    Range hole; // invalid: none
    bool arrow = false;
    long order = 0;
  };
  void bind(const clang::Expr *initial, const Frame &frame, bool by_reference);
  void check_macros(const clang::Expr &expression);
  void value(const clang::Expr *expression, const Frame &frame);
  void operation(const clang::BinaryOperator &binary, const Frame &frame);
  void cast(const clang::CastExpr &cast, const Frame &frame);
  void unary(const clang::UnaryOperator &unary, const Frame &frame);
  void construction(const clang::CXXConstructExpr &construction, const Frame &frame);
  void call(const clang::CallExpr &call, const Frame &frame);
  void container(const clang::CallExpr &call, const ContainerCall &asked, const Frame &frame);
  void pure_call(const clang::CallExpr &call, const clang::FunctionDecl &callee, const Frame &frame);
  void arguments(const clang::CallExpr &call, const Frame &frame, bool looked_into = false);
  void use(const clang::Expr *lvalue, const Frame &frame, std::string kind);
  void element(const Place &place, const clang::Expr &lvalue, const Frame &frame, const std::string &kind);
  void declarations_of(const Frame &helper);
  void parts(const clang::Expr &lvalue, const Frame &frame);
  void scalar(const clang::VarDecl &variable, const Frame &frame, const std::string &kind);
  void add_scalar(const std::string &name, const std::string &kind, const std::string &type);
  [[nodiscard]] Range hole_of(const Place &place, const clang::Expr &lvalue, const Frame &frame) const;

  Kernel &kernel_;
  Purity &purity_;
  std::vector<Found> found_;
  std::vector<ScalarUse> scalars_;
  std::vector<std::string> calls_;
  std::string refusal_;
  bool conditional_ = false;
  int branches_ = 0; // depth of ?:, && and ||
  int nested_ = 0;   // depth of subscripts
  long call_at_ = 0; // where the kernel calls the helper that is being looked into
};

} // namespace kopt::body
