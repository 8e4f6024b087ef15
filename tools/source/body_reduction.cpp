#include "source/body_reduction.h"

#include <algorithm>

namespace kopt::body {

namespace {

const clang::Expr *bare(const clang::Expr *expression) {
  while (true) {
    const clang::Expr *inner = stripped(expression)->IgnoreParenImpCasts();
    if (inner == expression) return inner;
    expression = inner;
  }
}

bool same(const Kernel &kernel, const clang::Expr *a, const clang::Expr *b) {
  llvm::FoldingSetNodeID first, second;
  bare(a)->Profile(first, kernel.context, true);
  bare(b)->Profile(second, kernel.context, true);
  if (first == second) return true;
  const auto tokens = [&](const clang::Expr *expression) { // the same text: implicit casts inside do not matter
    std::string text = kernel.source.text(*bare(expression));
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
    return text;
  };
  return !tokens(a).empty() && tokens(a) == tokens(b);
}

// Whether `target` is one of the terms of a sum (signs: only with +) or factors of a product.
bool is_operand(const Kernel &kernel, const clang::Expr *expression, const clang::Expr *target,
                clang::BinaryOperatorKind operation) {
  if (same(kernel, expression, target)) return true;
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(bare(expression));
  if (!binary) return false;
  if (binary->getOpcode() == operation)
    return is_operand(kernel, binary->getLHS(), target, operation) || is_operand(kernel, binary->getRHS(), target, operation);
  return operation == clang::BO_Add && binary->getOpcode() == clang::BO_Sub &&
         is_operand(kernel, binary->getLHS(), target, operation);
}

// "min" or "max" for `larger > smaller ? kept : other`, which yields `result` when the comparison holds.
std::string extremum(const Kernel &kernel, const clang::Expr *condition, const clang::Expr *result, const clang::Expr *other) {
  const auto *comparison = llvm::dyn_cast<clang::BinaryOperator>(bare(condition));
  if (!comparison || !comparison->isRelationalOp()) return {};
  const bool greater = comparison->getOpcode() == clang::BO_GT || comparison->getOpcode() == clang::BO_GE;
  if (same(kernel, comparison->getLHS(), result) && same(kernel, comparison->getRHS(), other)) return greater ? "max" : "min";
  if (same(kernel, comparison->getLHS(), other) && same(kernel, comparison->getRHS(), result)) return greater ? "min" : "max";
  return {};
}

std::string named_extremum(const clang::FunctionDecl *callee) {
  if (!callee || !callee->getIdentifier()) return {};
  llvm::StringRef name = callee->getName();
  if (name == "max" || name == "fmax" || name == "fmaxf") return "max";
  return name == "min" || name == "fmin" || name == "fminf" ? "min" : "";
}

// The operator of `target = value`, if it combines the target.
std::string combination(const Kernel &kernel, const clang::Expr *target, const clang::Expr *value) {
  value = bare(value);
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(value)) {
    if (call->getNumArgs() != 2) return {};
    const bool combines = same(kernel, call->getArg(0), target) || same(kernel, call->getArg(1), target);
    return combines ? named_extremum(call->getDirectCallee()) : "";
  }
  if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(value)) {
    if (!same(kernel, choice->getTrueExpr(), target) && !same(kernel, choice->getFalseExpr(), target)) return {};
    return extremum(kernel, choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr());
  }
  if (!llvm::isa<clang::BinaryOperator>(value)) return {};
  if (is_operand(kernel, value, target, clang::BO_Add)) return "+";
  return is_operand(kernel, value, target, clang::BO_Mul) ? "*" : "";
}

std::string operator_of(const Kernel &kernel, const clang::Stmt &statement) {
  if (const auto *condition = llvm::dyn_cast<clang::IfStmt>(&statement)) {
    const clang::BinaryOperator *assignment = extremum_assignment(kernel, *condition);
    return assignment ? extremum(kernel, condition->getCond(), assignment->getRHS(), assignment->getLHS()) : "";
  }
  const auto *expression = llvm::dyn_cast<clang::Expr>(&statement);
  if (!expression) return {};
  expression = stripped(expression);
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) return unary->isIncrementDecrementOp() ? "+" : "";
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
  if (!binary) return {};
  switch (binary->getOpcode()) {
  case clang::BO_AddAssign:
  case clang::BO_SubAssign:
    return "+";
  case clang::BO_MulAssign:
    return "*";
  case clang::BO_Assign:
    return combination(kernel, binary->getLHS(), binary->getRHS());
  default:
    return {};
  }
}

// How often the form itself names its target: in `m = x > m ? x : m` three times.
int mentions_of_form(const clang::Stmt &core) {
  if (llvm::isa<clang::UnaryOperator>(core)) return 1;
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(&core);
  if (binary && binary->isCompoundAssignmentOp()) return 1;
  return binary && llvm::isa<clang::ConditionalOperator>(bare(binary->getRHS())) ? 3 : 2;
}

int mentions_in(const Kernel &kernel, const clang::Stmt &code, const clang::Expr *target) {
  int mentions = 0;
  walk(&code, [&](const clang::Stmt &node, const clang::Stmt *) {
    const auto *expression = llvm::dyn_cast<clang::Expr>(&node);
    if (expression && expression->isLValue() && expression == bare(expression) && same(kernel, expression, target)) ++mentions;
  });
  return mentions;
}

// Whether all accesses to the target's object are the form's own, and no object is unknown.
bool reads_only_itself(const Node &node, const Access &target, int of_form) {
  int own = 0;
  for (const Access &access : node.accesses) {
    if (access.leaf.empty() && access.local.empty()) return false;
    if (access.leaf != target.leaf || access.local != target.local) continue;
    if (access.subscripts != target.subscripts || access.text != target.text || ++own > of_form) return false;
  }
  return true;
}

} // namespace

const clang::BinaryOperator *extremum_assignment(const Kernel &kernel, const clang::IfStmt &statement) {
  if (statement.getElse() || statement.hasInitStorage() || statement.hasVarStorage()) return nullptr;
  const clang::Stmt *then = statement.getThen();
  if (const auto *block = llvm::dyn_cast<clang::CompoundStmt>(then); block && block->size() == 1) then = block->body_front();
  const auto *expression = llvm::dyn_cast<clang::Expr>(then);
  const auto *assignment = expression ? llvm::dyn_cast<clang::BinaryOperator>(stripped(expression)) : nullptr;
  if (!assignment || assignment->getOpcode() != clang::BO_Assign) return nullptr;
  return extremum(kernel, statement.getCond(), assignment->getRHS(), assignment->getLHS()).empty() ? nullptr : assignment;
}

std::optional<Reduction> reduction_of(const Kernel &kernel, const clang::Stmt &statement, const Node &node) {
  const std::string operation = operator_of(kernel, statement);
  if (operation.empty()) return std::nullopt;
  const clang::Expr *target = nullptr;
  const clang::Stmt *core = &statement;
  if (const auto *condition = llvm::dyn_cast<clang::IfStmt>(core))
    target = extremum_assignment(kernel, *condition)->getLHS();
  else if (core = stripped(llvm::cast<clang::Expr>(core)); const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(core))
    target = unary->getSubExpr();
  else
    target = llvm::cast<clang::BinaryOperator>(core)->getLHS();
  target = bare(target);
  const int of_form = mentions_of_form(*core);
  if (mentions_in(kernel, *core, target) > of_form) return std::nullopt;

  int written = -1, writes = 0;
  for (size_t k = 0; k < node.accesses.size(); ++k)
    if (node.accesses[k].writes()) written = static_cast<int>(k), ++writes;
  std::string scalar;
  for (const ScalarUse &use : node.scalars)
    if (use.kind != "read") scalar = use.name, ++writes;
  if (writes != 1) return std::nullopt;
  if (written < 0) return Reduction{operation, -1, scalar};
  const Access &access = node.accesses[static_cast<size_t>(written)];
  const bool whole = access.text == kernel.source.text(*target); // not a member of a struct element
  if (!whole || !reads_only_itself(node, access, of_form)) return std::nullopt;
  return Reduction{operation, written, {}};
}

} // namespace kopt::body
