#include "source/body_loop.h"

#include <algorithm>

namespace kopt::body {

namespace {

using Canonical = tl::expected<Loop, std::string>;

tl::unexpected<std::string> no(std::string why) { return tl::make_unexpected(std::move(why)); }

bool refers_to(const clang::Expr *expression, const clang::VarDecl &variable) {
  expression = stripped(expression)->IgnoreParenImpCasts();
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
  return reference && reference->getDecl() == &variable;
}

bool mentions(const clang::Expr &expression, const clang::VarDecl &variable) {
  bool found = false;
  walk(&expression, [&](const clang::Stmt &node, const clang::Stmt *) {
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    found = found || (reference && reference->getDecl() == &variable);
  });
  return found;
}

class Recogniser {
public:
  Recogniser(Kernel &kernel, const clang::ForStmt &statement) : kernel_(kernel), statement_(statement) {}

  Canonical recognise() {
    if (const std::string why = start(); !why.empty()) return no(why);
    if (const std::string why = check_variable(); !why.empty()) return no(why);
    if (counts_down_in_condition()) return finished(Bound{"0", Polynomial()}, bound(*first_, 0));
    if (const std::string why = increment(); !why.empty()) return no(why);
    return condition();
  }

private:
  std::string start();
  std::string check_variable();
  std::string increment();
  std::string step_by(const clang::Expr *amount, bool down);
  bool counts_down_in_condition();
  Canonical condition();
  Canonical finished(Bound lower, Bound upper);
  Bound bound(const clang::Expr &expression, int added);

  Kernel &kernel_;
  const clang::ForStmt &statement_;
  const clang::Expr *first_ = nullptr; // initial value
  Loop loop_;
};

std::string Recogniser::start() {
  if (const auto *declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(statement_.getInit())) {
    if (!declaration->isSingleDecl()) return "a loop with several variables";
    loop_.variable = llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl());
    first_ = loop_.variable ? loop_.variable->getInit() : nullptr;
  } else if (const auto *expression = llvm::dyn_cast_or_null<clang::Expr>(statement_.getInit())) {
    const auto *assignment = llvm::dyn_cast<clang::BinaryOperator>(stripped(expression));
    if (!assignment || assignment->getOpcode() != clang::BO_Assign) return "a loop that does not start by setting its variable";
    loop_.variable = storage_of(assignment->getLHS()).variable;
    first_ = assignment->getRHS();
  }
  return loop_.variable && first_ ? "" : "a loop without a variable and its first value";
}

// Every mention of a variable from outside must lie in a loop over it.
bool used_only_in_loops(const clang::FunctionDecl &function, const clang::VarDecl &variable) {
  bool only = true;
  const auto look = [&](const auto &self, const clang::Stmt *node) -> void {
    if (!node || !only) return;
    if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(node)) {
      const auto *start = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop->getInit());
      if (start && start->getOpcode() == clang::BO_Assign && refers_to(start->getLHS(), variable))
        return self(self, start->getRHS());
    }
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(node);
    if (reference && reference->getDecl() == &variable) only = false;
    for (const clang::Stmt *child : node->children()) self(self, child);
  };
  look(look, function.getBody());
  return only;
}

std::string Recogniser::check_variable() {
  const clang::VarDecl &variable = *loop_.variable;
  const clang::QualType type = variable.getType();
  const std::string name = variable.getNameAsString();
  if (!type->isIntegerType() || type->isBooleanType() || type->isEnumeralType() || type.isVolatileQualified())
    return "the loop variable " + name + " is not an integer";
  if (kernel_.context.getIntWidth(type) < 32) return "the loop variable " + name + " is narrower than int";
  if (!variable.isLocalVarDecl() || variable.isStaticLocal()) return "the loop variable " + name + " is not a local variable";
  if (kernel_.locals.exposed(variable)) return "the address of the loop variable " + name + " is taken";
  const long begin = kernel_.source.offset(statement_.getBody()->getBeginLoc());
  const long end = kernel_.source.offset(statement_.getBody()->getEndLoc());
  for (const Write &write : kernel_.locals.writes(variable)) {
    const long at = kernel_.source.offset(write.where->getBeginLoc());
    if (at >= begin && at <= end) return "the loop variable " + name + " is written in the loop";
  }
  if (llvm::isa<clang::DeclStmt>(statement_.getInit())) return {};
  return used_only_in_loops(kernel_.function, variable) ? "" : "the loop variable " + name + " is used outside the loop";
}

std::string Recogniser::step_by(const clang::Expr *amount, bool down) {
  const Form form = affine(kernel_, amount, kernel_.root);
  if (!form || !form->is_constant() || form->is_zero()) return "the loop's step is not a constant";
  const long step = down ? -form->constant() : form->constant();
  loop_.reverse = step < 0;
  loop_.step = std::abs(step);
  return loop_.reverse && loop_.step != 1 ? "a downward loop with a step other than one" : "";
}

std::string Recogniser::increment() {
  if (!statement_.getInc()) return "a loop without an increment";
  const clang::Expr *increment = stripped(statement_.getInc());
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(increment)) {
    if (!unary->isIncrementDecrementOp() || !refers_to(unary->getSubExpr(), *loop_.variable)) return "an unusual increment";
    loop_.reverse = unary->isDecrementOp();
    return {};
  }
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(increment);
  if (!binary || !refers_to(binary->getLHS(), *loop_.variable)) return "an unusual increment";
  if (binary->getOpcode() == clang::BO_AddAssign) return step_by(binary->getRHS(), false);
  if (binary->getOpcode() == clang::BO_SubAssign) return step_by(binary->getRHS(), true);
  const auto *sum = llvm::dyn_cast<clang::BinaryOperator>(stripped(binary->getRHS())->IgnoreParenImpCasts());
  if (binary->getOpcode() != clang::BO_Assign || !sum || !sum->isAdditiveOp()) return "an unusual increment";
  const bool subtracts = sum->getOpcode() == clang::BO_Sub;
  if (refers_to(sum->getLHS(), *loop_.variable)) return step_by(sum->getRHS(), subtracts);
  if (refers_to(sum->getRHS(), *loop_.variable) && !subtracts) return step_by(sum->getLHS(), false);
  return "an unusual increment";
}

// for (i = n; i-- > 0;)
bool Recogniser::counts_down_in_condition() {
  if (statement_.getInc() || !statement_.getCond()) return false;
  const clang::Expr *condition = stripped(statement_.getCond())->IgnoreParenImpCasts();
  if (const auto *comparison = llvm::dyn_cast<clang::BinaryOperator>(condition)) {
    const Form zero = affine(kernel_, comparison->getRHS(), kernel_.root);
    const bool positive = comparison->getOpcode() == clang::BO_GT || comparison->getOpcode() == clang::BO_NE;
    if (!positive || !zero || !zero->is_zero()) return false;
    condition = stripped(comparison->getLHS())->IgnoreParenImpCasts();
  }
  const auto *decrement = llvm::dyn_cast<clang::UnaryOperator>(condition);
  if (!decrement || decrement->getOpcode() != clang::UO_PostDec || !refers_to(decrement->getSubExpr(), *loop_.variable))
    return false;
  loop_.reverse = true;
  return true;
}

Canonical Recogniser::condition() {
  const auto *comparison =
      statement_.getCond() ? llvm::dyn_cast<clang::BinaryOperator>(stripped(statement_.getCond())) : nullptr;
  if (!comparison || !comparison->isComparisonOp() || comparison->getOpcode() == clang::BO_EQ)
    return no("an unusual loop condition");
  auto operation = comparison->getOpcode();
  const clang::Expr *limit = comparison->getRHS();
  if (refers_to(limit, *loop_.variable)) {
    limit = comparison->getLHS();
    operation = clang::BinaryOperator::reverseComparisonOp(operation);
  } else if (!refers_to(comparison->getLHS(), *loop_.variable)) {
    return no("a loop condition that does not compare the loop variable itself");
  }
  if (mentions(*limit, *loop_.variable)) return no("a loop whose end depends on its own variable");
  if (operation == clang::BO_NE) {
    if (loop_.step != 1) return no("a loop that ends at != with a step other than one");
    operation = loop_.reverse ? clang::BO_GT : clang::BO_LT;
    kernel_.note(statement_.getBeginLoc(), "a loop that ends at != is taken to reach its end");
  }
  const bool upward = operation == clang::BO_LT || operation == clang::BO_LE;
  if (upward == loop_.reverse) return no("a loop that runs away from its end");
  if (upward) return finished(bound(*first_, 0), bound(*limit, operation == clang::BO_LE ? 1 : 0));
  return finished(bound(*limit, operation == clang::BO_GT ? 1 : 0), bound(*first_, 1));
}

Bound Recogniser::bound(const clang::Expr &expression, int added) {
  Bound bound;
  bound.text = kernel_.source.text(expression);
  if (added > 0) {
    const bool simple = llvm::isa<clang::DeclRefExpr, clang::IntegerLiteral, clang::MemberExpr>(expression.IgnoreImpCasts());
    bound.text = (simple ? bound.text : "(" + bound.text + ")") + " + 1";
  }
  if (const Form form = affine(kernel_, &expression, kernel_.root))
    bound.polynomial = *form + Polynomial(added);
  else
    loop_.unknown.push_back(&expression);
  return bound;
}

Canonical Recogniser::finished(Bound lower, Bound upper) {
  loop_.lower = std::move(lower);
  loop_.upper = std::move(upper);
  if (loop_.variable->getType()->isUnsignedIntegerType())
    kernel_.note(statement_.getBeginLoc(),
                 "the loop over unsigned " + loop_.variable->getNameAsString() + " is taken not to wrap");
  return loop_;
}

} // namespace

tl::expected<Loop, std::string> loop_of(Kernel &kernel, const clang::ForStmt &statement) {
  return Recogniser(kernel, statement).recognise();
}

} // namespace kopt::body
