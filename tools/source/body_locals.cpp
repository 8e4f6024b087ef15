#include "source/body_locals.h"

#include "source/container.h"

#include <algorithm>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

namespace kopt::body {

namespace {

bool is_mutable_reference(clang::QualType type) {
  return type->isReferenceType() && !type.getNonReferenceType().isConstQualified();
}

// The std::array whose element a call denotes: as for a built-in array, that is the object's own storage.
const clang::Expr *element_of_array(const clang::CallExpr &call) {
  const auto asked = container_call(call);
  const bool element = asked && (asked->kind == ContainerCall::Kind::Element || asked->kind == ContainerCall::Kind::Last);
  return element && asked->container.kind == Container::Kind::Array ? asked->object : nullptr;
}

// An lvalue in memory that an object points to, not in the object.
bool is_behind_pointer(const clang::Expr &lvalue) {
  const clang::Expr *at = lvalue.IgnoreParens();
  if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) {
    const auto *base = llvm::dyn_cast<clang::CastExpr>(subscript->getBase()->IgnoreParens());
    return base && base->getCastKind() == clang::CK_LValueToRValue;
  }
  const auto *call = llvm::dyn_cast<clang::CallExpr>(at);
  const auto asked = call ? container_call(*call) : std::nullopt;
  return asked && asked->container.kind != Container::Kind::Array;
}

// `double &at(int i) { return u[i]; }`: no const member, yet it leaves its object as it is.
bool is_accessor(const clang::CXXMethodDecl &method) {
  const clang::FunctionDecl *definition = nullptr;
  if (!method.hasBody(definition)) return false;
  const auto *body = llvm::dyn_cast<clang::CompoundStmt>(definition->getBody());
  const auto *result = body && body->size() == 1 ? llvm::dyn_cast<clang::ReturnStmt>(body->body_front()) : nullptr;
  if (!result || !result->getRetValue()) return false;
  bool only_looks = !result->getRetValue()->isLValue() || is_behind_pointer(*result->getRetValue());
  walk(result, [&](const clang::Stmt &node, const clang::Stmt *) {
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) only_looks = only_looks && !binary->isAssignmentOp();
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(&node))
      only_looks = only_looks && !unary->isIncrementDecrementOp() && unary->getOpcode() != clang::UO_AddrOf;
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(&node)) {
      const auto *inner = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
      only_looks = only_looks && (container_call(*call) || (inner && inner->isConst()));
    }
  });
  return only_looks;
}

} // namespace

Storage storage_of(const clang::Expr *lvalue) {
  std::string members;
  while (lvalue) {
    lvalue = lvalue->IgnoreParens();
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(lvalue))
      return {llvm::dyn_cast<clang::VarDecl>(reference->getDecl()), members};
    if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(lvalue)) {
      if (member->isArrow()) return {};
      members = "." + member->getMemberDecl()->getNameAsString() + members;
      lvalue = member->getBase();
    } else if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
      const auto *decay = llvm::dyn_cast<clang::ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
      if (!decay || decay->getCastKind() != clang::CK_ArrayToPointerDecay) return {};
      lvalue = decay->getSubExpr();
    } else if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(lvalue)) {
      if (cast->getCastKind() == clang::CK_LValueToRValue) return {};
      lvalue = cast->getSubExpr();
    } else if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(lvalue)) {
      lvalue = binary->getOpcode() == clang::BO_Comma ? binary->getRHS() : binary->getLHS();
    } else if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(lvalue)) {
      if (!unary->isIncrementDecrementOp()) return {};
      lvalue = unary->getSubExpr();
    } else if (const auto *call = llvm::dyn_cast<clang::CallExpr>(lvalue)) {
      lvalue = element_of_array(*call);
    } else {
      return {};
    }
  }
  return {};
}

bool is_trivial_assignment(const clang::CallExpr &call) {
  const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  return method && llvm::isa<clang::CXXOperatorCallExpr>(call) && method->isTrivial() &&
         (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator());
}

bool is_constant_global(const clang::VarDecl &variable) {
  return variable.hasGlobalStorage() && variable.getASTContext().getBaseElementType(variable.getType()).isConstQualified();
}

Locals::Locals(const clang::FunctionDecl &function) {
  walk(function.getBody(), [&](const clang::Stmt &node, const clang::Stmt *parent) { visit(node, parent); });
}

void Locals::add(const clang::Expr *lvalue, Write write) {
  if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(lvalue->IgnoreParenImpCasts())) {
    add(choice->getTrueExpr(), write);
    add(choice->getFalseExpr(), write);
    return;
  }
  const Storage storage = storage_of(lvalue);
  if (!storage.variable) return;
  write.members = storage.members;
  writes_[storage.variable->getCanonicalDecl()].push_back(std::move(write));
}

void Locals::visit(const clang::Stmt &node, const clang::Stmt *parent) {
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(&node); binary && binary->isAssignmentOp()) {
    Write write{&node, {}, nullptr, nullptr, nullptr, false};
    if (binary->getOpcode() == clang::BO_Assign) write.assigned = binary->getRHS();
    if (binary->getOpcode() == clang::BO_Assign && llvm::isa_and_nonnull<clang::CompoundStmt>(parent))
      write.value = binary->getRHS(), write.block = llvm::cast<clang::CompoundStmt>(parent);
    add(binary->getLHS(), std::move(write));
  } else if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
    if (unary->isIncrementDecrementOp()) add(unary->getSubExpr(), {&node, {}, nullptr, nullptr, nullptr, false});
    if (unary->getOpcode() == clang::UO_AddrOf) add(unary->getSubExpr(), {&node, {}, nullptr, nullptr, nullptr, true});
  } else if (const auto *call = llvm::dyn_cast<clang::CallExpr>(&node)) {
    visit_call(*call);
  } else if (const auto *construction = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
    const clang::CXXConstructorDecl &constructor = *construction->getConstructor();
    for (unsigned i = 0; i < std::min(construction->getNumArgs(), constructor.getNumParams()); ++i)
      if (is_mutable_reference(constructor.getParamDecl(i)->getType()))
        add(construction->getArg(i), {&node, {}, nullptr, nullptr, nullptr, true});
  } else if (const auto *declarations = llvm::dyn_cast<clang::DeclStmt>(&node)) {
    visit_declarations(*declarations);
  }
}

void Locals::visit_call(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  const bool is_operator = llvm::isa<clang::CXXOperatorCallExpr>(call) && method;
  if (is_trivial_assignment(call)) return add(call.getArg(0), {&call, {}, nullptr, nullptr, nullptr, false});
  if (const auto asked = container_call(call)) {
    const bool handed_out = asked->container.kind == Container::Kind::Array && !method->isConst() && !element_of_array(call);
    if (handed_out) add(asked->object, {&call, {}, nullptr, nullptr, nullptr, true});
    return;
  }
  if (method && method->isInstance() && !method->isConst()) {
    const auto *member_call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call);
    const clang::Expr *object = member_call ? member_call->getImplicitObjectArgument() : call.getArg(0);
    if (object && !method->getParent()->isLambda() && !is_accessor(*method))
      add(object, {&call, {}, nullptr, nullptr, nullptr, true});
  }
  for (unsigned i = is_operator ? 1 : 0; i < call.getNumArgs(); ++i) {
    const unsigned position = is_operator ? i - 1 : i;
    const bool known = callee && position < callee->getNumParams();
    if (!known ? call.getArg(i)->isLValue() : is_mutable_reference(callee->getParamDecl(position)->getType()))
      add(call.getArg(i), {&call, {}, nullptr, nullptr, nullptr, true});
  }
}

void Locals::visit_declarations(const clang::DeclStmt &statement) {
  for (const clang::Decl *declaration : statement.decls()) {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    if (variable && variable->getInit() && is_mutable_reference(variable->getType()))
      add(variable->getInit(), {&statement, {}, nullptr, nullptr, nullptr, true});
  }
}

bool Locals::modified(const clang::VarDecl &variable, const std::string &members) const {
  for (const Write &write : writes(variable)) {
    const std::string &shorter = write.members.size() < members.size() ? write.members : members;
    const std::string &longer = write.members.size() < members.size() ? members : write.members;
    if (longer.starts_with(shorter) && (longer.size() == shorter.size() || longer[shorter.size()] == '.')) return true;
  }
  return false;
}

bool Locals::exposed(const clang::VarDecl &variable) const {
  const auto &all = writes(variable);
  return std::any_of(all.begin(), all.end(), [](const Write &write) { return write.exposed; });
}

const std::vector<Write> &Locals::writes(const clang::VarDecl &variable) const {
  static const std::vector<Write> none;
  const auto found = writes_.find(variable.getCanonicalDecl());
  return found == writes_.end() ? none : found->second;
}

const clang::Expr *Locals::value(const clang::VarDecl &variable, const clang::Expr &use, const Source &source) const {
  const std::vector<Write> &all = writes(variable);
  if (variable.getType()->isReferenceType()) return variable.getInit(); // what it is bound to
  if (all.empty()) return variable.getInit();
  const long at = source.offset(use.getBeginLoc());
  // A plain assignment gives the value from there to the end of its block; the last one before the use counts.
  const Write *last = nullptr;
  for (const Write &write : all)
    if (write.value && write.members.empty() && source.offset(write.where->getEndLoc()) < at &&
        at < source.offset(write.block->getEndLoc()) &&
        (!last || source.offset(last->where->getEndLoc()) < source.offset(write.where->getEndLoc())))
      last = &write;
  if (!last) return nullptr;
  // Unless another write comes between: one before the use, or one that a loop around the use brings before it. What follows
  // the use in the assignment's own block cannot: that block starts with the assignment again.
  const long from = source.offset(last->where->getEndLoc()), to = source.offset(last->block->getEndLoc());
  const bool disturbed = std::any_of(all.begin(), all.end(), [&](const Write &write) {
    const long other = source.offset(write.where->getBeginLoc());
    return write.exposed || (other > from && other < to && !(write.block == last->block && other > at));
  });
  return disturbed ? nullptr : last->value;
}

} // namespace kopt::body
