#include "source/body_affine.h"

#include "source/container.h"

#include <algorithm>
#include <clang/AST/DeclCXX.h>

namespace kopt::body {

namespace {

tl::unexpected<std::string> no(std::string why) { return tl::make_unexpected(std::move(why)); }

class Reader {
public:
  Reader(Kernel &kernel, const Frame &frame) : kernel_(kernel), frame_(frame) {}
  Form read(const clang::Expr *expression);

private:
  std::optional<std::int64_t> constant(const clang::Expr &expression) const;
  Form cast(const clang::CastExpr &expression);
  Form binary(const clang::BinaryOperator &expression);
  Form unary(const clang::UnaryOperator &expression);
  std::optional<Polynomial> size_of(const clang::CallExpr &call) const;
  Form object(const clang::Expr &lvalue);
  Form variable(const clang::VarDecl &variable, const clang::Expr &use);
  Form elsewhere(const InFrame &what) const { return Reader(kernel_, *what.frame).read(what.expression); }

  Kernel &kernel_;
  const Frame &frame_;
};

std::optional<std::int64_t> Reader::constant(const clang::Expr &expression) const {
  clang::Expr::EvalResult result;
  if (expression.isValueDependent() || !expression.EvaluateAsInt(result, kernel_.context)) return std::nullopt;
  const llvm::APSInt &value = result.Val.getInt();
  if (!value.isRepresentableByInt64()) return std::nullopt;
  return value.getExtValue();
}

Form Reader::read(const clang::Expr *expression) {
  expression = stripped(expression);
  if (!expression->getType()->isIntegralOrEnumerationType() || expression->getType()->isBooleanType())
    return no("not an integer: " + kernel_.source.text(*expression));
  if (const auto value = constant(*expression)) return Polynomial(*value);
  if (const auto *inner = llvm::dyn_cast<clang::CastExpr>(expression)) return cast(*inner);
  if (const auto *inner = llvm::dyn_cast<clang::BinaryOperator>(expression)) return binary(*inner);
  if (const auto *inner = llvm::dyn_cast<clang::UnaryOperator>(expression)) return unary(*inner);
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expression)) {
    if (const auto size = size_of(*call)) return *size;
    const auto result = kernel_.inlined(*call, frame_);
    return result ? elsewhere(*result) : no("calls a function: " + kernel_.source.text(*call));
  }
  if (expression->isLValue()) return object(*expression);
  return no("not a polynomial: " + kernel_.source.text(*expression));
}

// x.size() of a container.
std::optional<Polynomial> Reader::size_of(const clang::CallExpr &call) const {
  const auto asked = container_call(call);
  if (!asked || asked->kind != ContainerCall::Kind::Size) return std::nullopt;
  if (asked->container.count) return Polynomial(*asked->container.count);
  const Leaf *leaf = kernel_.container_leaf(*asked->object, ".size()", frame_);
  if (!leaf) return std::nullopt;
  return Polynomial::symbol(leaf->path);
}

Form Reader::cast(const clang::CastExpr &expression) {
  const clang::Expr *inner = expression.getSubExpr();
  if (expression.getCastKind() == clang::CK_LValueToRValue) return object(*stripped(inner));
  if (expression.getCastKind() != clang::CK_IntegralCast || inner->getType()->isBooleanType())
    return no("converts: " + kernel_.source.text(expression));
  const auto to = kernel_.context.getIntWidth(expression.getType()), from = kernel_.context.getIntWidth(inner->getType());
  if (to < 32 && to < from) return no("narrows: " + kernel_.source.text(expression));
  if (to < from) kernel_.note(expression.getBeginLoc(), "a conversion to a narrower integer is taken to keep the value");
  return read(inner);
}

Form Reader::binary(const clang::BinaryOperator &expression) {
  using enum clang::BinaryOperatorKind;
  const auto operation = expression.getOpcode();
  if (operation != clang::BO_Add && operation != clang::BO_Sub && operation != clang::BO_Mul && operation != clang::BO_Shl)
    return no("not a polynomial: " + kernel_.source.text(expression));
  const auto left = read(expression.getLHS());
  if (!left) return left;
  const auto right = read(expression.getRHS());
  if (!right) return right;
  if (expression.getType()->isUnsignedIntegerType() && operation == clang::BO_Sub)
    kernel_.note(expression.getBeginLoc(), "unsigned arithmetic is taken not to wrap");
  if (operation == clang::BO_Add) return *left + *right;
  if (operation == clang::BO_Sub) return *left - *right;
  if (operation == clang::BO_Mul) return *left * *right;
  if (!right->is_constant() || right->constant() < 0 || right->constant() > 40)
    return no("shifts by a variable: " + kernel_.source.text(expression));
  return *left * Polynomial(std::int64_t{1} << right->constant());
}

Form Reader::unary(const clang::UnaryOperator &expression) {
  if (expression.getOpcode() == clang::UO_Plus) return read(expression.getSubExpr());
  if (expression.getOpcode() != clang::UO_Minus) return no("not a polynomial: " + kernel_.source.text(expression));
  const auto inner = read(expression.getSubExpr());
  if (!inner) return inner;
  return Polynomial() - *inner;
}

Form Reader::object(const clang::Expr &lvalue) {
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(&lvalue)) {
    const auto *found = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    return found ? variable(*found, lvalue) : no("not a variable: " + kernel_.source.text(lvalue));
  }
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(&lvalue)) {
    const auto result = kernel_.inlined(*call, frame_);
    if (result && result->expression->isLValue()) return Reader(kernel_, *result->frame).object(*stripped(result->expression));
  }
  const Storage storage = kernel_.storage(&lvalue, frame_);
  const Leaf *leaf = storage.variable && !storage.members.empty() ? kernel_.leaf(*storage.variable, storage.members) : nullptr;
  if (!leaf || leaf->is_pointer() || leaf->count != 1) return no("depends on the contents of " + kernel_.source.text(lvalue));
  if (kernel_.changes(*storage.variable, storage.members)) return no(leaf->path + " changes");
  return Polynomial::symbol(leaf->path);
}

Form Reader::variable(const clang::VarDecl &variable, const clang::Expr &use) {
  const std::string name = variable.getNameAsString();
  if (const auto bound = Kernel::argument(variable, frame_)) return elsewhere(*bound);
  if (kernel_.is_loop_variable(variable)) {
    if (!frame_.is_root()) return no("a helper uses the loop variable " + name);
    return Polynomial::symbol(name);
  }
  if (const Leaf *leaf = kernel_.leaf(variable)) {
    if (leaf->is_pointer()) return no("depends on the contents of " + name);
    if (leaf->count != 1 || kernel_.changes(variable)) return no(name + " changes");
    return Polynomial::symbol(leaf->path);
  }
  if (const auto value = kernel_.value(variable, use, frame_)) return elsewhere(*value);
  return no(name + " has no one known value");
}

// a >= b, as a polynomial that is >= 0.
std::optional<std::vector<Polynomial>> comparison(Kernel &kernel, const clang::BinaryOperator &expression, bool negated) {
  auto operation = expression.getOpcode();
  if (negated) operation = clang::BinaryOperator::negateComparisonOp(operation);
  if (!expression.getLHS()->getType()->isIntegralOrEnumerationType()) return std::nullopt;
  const auto left = affine(kernel, expression.getLHS(), kernel.root), right = affine(kernel, expression.getRHS(), kernel.root);
  if (!left || !right) return std::nullopt;
  switch (operation) {
  case clang::BO_LT:
    return std::vector{*right - *left - Polynomial(1)};
  case clang::BO_LE:
    return std::vector{*right - *left};
  case clang::BO_GT:
    return std::vector{*left - *right - Polynomial(1)};
  case clang::BO_GE:
    return std::vector{*left - *right};
  case clang::BO_EQ:
    return std::vector{*left - *right, *right - *left};
  default:
    return std::nullopt;
  }
}

} // namespace

Form affine(Kernel &kernel, const clang::Expr *expression, const Frame &frame) {
  return Reader(kernel, frame).read(expression);
}

namespace {

constexpr size_t most_candidates = 8;

// Collects candidates of the parts of an expression.
class Candidates {
public:
  Candidates(Kernel &kernel, const Frame &frame) : kernel_(kernel), frame_(frame) {}

  std::vector<Polynomial> of(const clang::Expr *expression) {
    if (const auto one = affine(kernel_, expression, frame_)) return {*one};
    expression = stripped(expression);
    if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(expression)) return of(cast->getSubExpr());
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression)) return combined(*binary);
    if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(expression))
      return either({choice->getTrueExpr(), choice->getFalseExpr()});
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expression)) return of_call(*call);
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
    const auto *variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    return variable ? of_variable(*variable) : std::vector<Polynomial>{};
  }

private:
  std::vector<Polynomial> combined(const clang::BinaryOperator &binary) {
    if (!binary.isAdditiveOp() && binary.getOpcode() != clang::BO_Mul) return {};
    std::vector<Polynomial> all;
    for (const Polynomial &left : of(binary.getLHS()))
      for (const Polynomial &right : of(binary.getRHS()))
        all.push_back(binary.getOpcode() == clang::BO_Add   ? left + right
                      : binary.getOpcode() == clang::BO_Sub ? left - right
                                                            : left * right);
    return limited(std::move(all));
  }

  std::vector<Polynomial> of_call(const clang::CallExpr &call) {
    const clang::FunctionDecl *callee = call.getDirectCallee();
    const std::string name = callee ? callee->getQualifiedNameAsString() : "";
    if ((name == "std::min" || name == "std::max") && call.getNumArgs() == 2) return either({call.getArg(0), call.getArg(1)});
    const auto result = kernel_.inlined(call, frame_);
    return result ? Candidates(kernel_, *result->frame).of(result->expression) : std::vector<Polynomial>{};
  }

  // A local of the innermost loop, each of whose values is set by a plain assignment: those of this iteration.
  std::vector<Polynomial> of_variable(const clang::VarDecl &variable) {
    if (const auto bound = Kernel::argument(variable, frame_)) return Candidates(kernel_, *bound->frame).of(bound->expression);
    const bool ours = variable.isLocalVarDecl() && variable.getDeclContext() == &kernel_.function && !variable.hasInit();
    const bool inside = kernel_.loops.empty() || kernel_.source.offset(variable.getLocation()) >
                                                     kernel_.source.offset(kernel_.loops.back()->getLocation());
    if (!ours || !inside) return {};
    std::vector<const clang::Expr *> values;
    for (const Write &write : kernel_.locals.writes(variable)) {
      if (!write.assigned || write.exposed || !write.members.empty()) return {};
      values.push_back(write.assigned);
    }
    return either(values);
  }

  std::vector<Polynomial> either(const std::vector<const clang::Expr *> &expressions) {
    std::vector<Polynomial> all;
    for (const clang::Expr *expression : expressions) {
      if (++depth_ > static_cast<int>(most_candidates)) return {}; // values set from each other
      const std::vector<Polynomial> some = of(expression);
      --depth_;
      if (some.empty()) return {};
      all.insert(all.end(), some.begin(), some.end());
    }
    return limited(std::move(all));
  }

  static std::vector<Polynomial> limited(std::vector<Polynomial> all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all.size() > most_candidates ? std::vector<Polynomial>{} : all;
  }

  Kernel &kernel_;
  const Frame &frame_;
  int depth_ = 0;
};

} // namespace

std::vector<Polynomial> candidates(Kernel &kernel, const clang::Expr *expression, const Frame &frame) {
  return Candidates(kernel, frame).of(expression);
}

std::optional<std::vector<Polynomial>> constraints(Kernel &kernel, const clang::Expr *condition, bool negated) {
  condition = stripped(condition);
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(condition); unary && unary->getOpcode() == clang::UO_LNot)
    return constraints(kernel, unary->getSubExpr(), !negated);
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(condition);
  if (!binary) return std::nullopt;
  if (binary->isComparisonOp()) return comparison(kernel, *binary, negated);
  if (binary->getOpcode() != (negated ? clang::BO_LOr : clang::BO_LAnd)) return std::nullopt;
  auto left = constraints(kernel, binary->getLHS(), negated);
  const auto right = constraints(kernel, binary->getRHS(), negated);
  if (!left || !right) return std::nullopt;
  left->insert(left->end(), right->begin(), right->end());
  return left;
}

} // namespace kopt::body
