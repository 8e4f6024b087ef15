#include "source/body_statement.h"

#include "source/container.h"

#include <algorithm>
#include <clang/AST/DeclCXX.h>

namespace kopt::body {

namespace {

class Deeper {
public:
  explicit Deeper(int &depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper &) = delete;
  Deeper &operator=(const Deeper &) = delete;

private:
  int &depth_;
};

std::string merged(const std::string &a, const std::string &b) { return a == b ? a : "update"; }

bool is_harmless(const clang::Expr &expression) {
  return llvm::isa<clang::IntegerLiteral, clang::FloatingLiteral, clang::CharacterLiteral, clang::CXXBoolLiteralExpr,
                   clang::StringLiteral, clang::CXXNullPtrLiteralExpr, clang::UnaryExprOrTypeTraitExpr,
                   clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr, clang::CXXThisExpr, clang::TypeTraitExpr,
                   clang::GNUNullExpr>(expression);
}

} // namespace

void Scan::refuse(const std::string &reason) {
  if (refusal_.empty()) refusal_ = reason;
}

void Scan::value(const clang::Expr *expression) {
  check_macros(*expression);
  value(expression, kernel_.root);
}

void Scan::use(const clang::Expr *lvalue, const std::string &kind) {
  check_macros(*lvalue);
  use(lvalue, kernel_.root, kind);
}

void Scan::bind(const clang::Expr *lvalue) {
  check_macros(*lvalue);
  bind(lvalue, kernel_.root, true);
}

void Scan::bind(const clang::Expr *initial, const Frame &frame, bool by_reference) {
  initial = stripped(initial);
  if (!by_reference || !initial->isLValue()) return value(initial, frame);
  const Place place = place_of(kernel_, initial, frame);
  if (place.kind == Place::Kind::Unknown && llvm::isa<clang::CallExpr>(initial)) return refuse(place.why);
  if (!place.is_known()) parts(*initial, frame);
}

// Whoever renames or shifts a variable in the statement's text does not see it inside a macro's body.
void Scan::check_macros(const clang::Expr &expression) {
  walk(&expression, [&](const clang::Stmt &node, const clang::Stmt *) {
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    const auto *variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    if (variable && variable->isLocalVarDecl() && kernel_.source.in_macro_body(reference->getLocation()))
      refuse("a macro's body uses the local variable " + variable->getNameAsString());
  });
}

void Scan::value(const clang::Expr *expression, const Frame &frame) {
  expression = stripped(expression);
  if (expression->getType().isVolatileQualified()) return refuse("volatile");
  if (is_harmless(*expression)) return;
  if (const auto *inner = llvm::dyn_cast<clang::CastExpr>(expression)) return cast(*inner, frame);
  if (const auto *inner = llvm::dyn_cast<clang::BinaryOperator>(expression)) return operation(*inner, frame);
  if (const auto *inner = llvm::dyn_cast<clang::UnaryOperator>(expression)) return unary(*inner, frame);
  if (const auto *inner = llvm::dyn_cast<clang::CallExpr>(expression)) return call(*inner, frame);
  if (const auto *inner = llvm::dyn_cast<clang::CXXConstructExpr>(expression)) return construction(*inner, frame);
  if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
    value(choice->getCond(), frame);
    const Deeper deeper(branches_);
    value(choice->getTrueExpr(), frame);
    return value(choice->getFalseExpr(), frame);
  }
  if (const auto *list = llvm::dyn_cast<clang::InitListExpr>(expression)) {
    for (const clang::Expr *item : list->inits()) value(item, frame);
    return;
  }
  if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(expression); member && !member->isLValue() && !member->isArrow())
    return value(member->getBase(), frame);
  if (llvm::isa<clang::DeclRefExpr, clang::MemberExpr, clang::ArraySubscriptExpr>(expression))
    return use(expression, frame, "read");
  refuse(llvm::isa<clang::LambdaExpr>(expression) ? "lambda" : std::string("not modelled: ") + expression->getStmtClassName());
}

void Scan::operation(const clang::BinaryOperator &binary, const Frame &frame) {
  if (binary.isAssignmentOp()) {
    if (branches_ > 0) return refuse("assignment inside a conditional expression");
    if (!frame.is_root()) return refuse("a helper assigns");
    value(binary.getRHS(), frame);
    return use(binary.getLHS(), frame, binary.isCompoundAssignmentOp() ? "update" : "write");
  }
  value(binary.getLHS(), frame);
  if (!binary.isLogicalOp()) return value(binary.getRHS(), frame);
  const Deeper deeper(branches_);
  value(binary.getRHS(), frame);
}

void Scan::cast(const clang::CastExpr &cast, const Frame &frame) {
  const clang::Expr *inner = cast.getSubExpr();
  switch (cast.getCastKind()) {
  case clang::CK_LValueToRValue: {
    const clang::Expr *from = stripped(inner);
    const bool computes =
        llvm::isa<clang::BinaryOperator>(from) || llvm::isa<clang::ConditionalOperator>(from) ||
        llvm::isa<clang::CallExpr>(from) ||
        (llvm::isa<clang::UnaryOperator>(from) && llvm::cast<clang::UnaryOperator>(from)->isIncrementDecrementOp());
    return computes ? value(from, frame) : use(from, frame, "read");
  }
  case clang::CK_FunctionToPointerDecay:
  case clang::CK_BuiltinFnToFnPtr:
    return;
  case clang::CK_ArrayToPointerDecay:
    return parts(*stripped(inner), frame);
  default:
    return value(inner, frame);
  }
}

void Scan::unary(const clang::UnaryOperator &unary, const Frame &frame) {
  if (unary.isIncrementDecrementOp()) {
    if (branches_ > 0) return refuse("assignment inside a conditional expression");
    return frame.is_root() ? use(unary.getSubExpr(), frame, "update") : refuse("a helper assigns");
  }
  if (unary.getOpcode() == clang::UO_AddrOf) return parts(*stripped(unary.getSubExpr()), frame);
  if (unary.getOpcode() == clang::UO_Deref) return use(&unary, frame, "read");
  value(unary.getSubExpr(), frame);
}

void Scan::construction(const clang::CXXConstructExpr &construction, const Frame &frame) {
  const clang::CXXConstructorDecl &constructor = *construction.getConstructor();
  if (!constructor.isTrivial() && !constructor.isConstexpr())
    return refuse("constructs an object: " + constructor.getParent()->getNameAsString());
  for (const clang::Expr *argument : construction.arguments()) value(argument, frame);
}

void Scan::call(const clang::CallExpr &call, const Frame &frame) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee) return refuse("calls through a pointer");
  if (is_trivial_assignment(call)) { // of structs
    if (branches_ > 0 || !frame.is_root()) return refuse("assignment inside a helper or a conditional expression");
    value(call.getArg(1), frame);
    return use(call.getArg(0), frame, "write");
  }
  if (const auto asked = container_call(call)) return container(call, *asked, frame);
  const auto result = kernel_.inlined(call, frame);
  if (result) {
    const clang::Expr *from = stripped(result->expression);
    if (const auto *load = llvm::dyn_cast<clang::CastExpr>(from); load && load->getCastKind() == clang::CK_LValueToRValue)
      from = stripped(load->getSubExpr());
    const bool is_element = from->isLValue() && place_of(kernel_, from, *result->frame).kind == Place::Kind::Element;
    if (is_element) return use(&call, frame, "read"); // returns one array element
  }
  const std::string objection = purity_.objection(*callee);
  if (objection.empty()) return pure_call(call, *callee, frame);
  if (!result) return refuse("calls " + callee->getNameAsString() + ", which " + objection);
  arguments(call, frame, true);
  if (frame.is_root()) call_at_ = kernel_.source.offset(call.getBeginLoc());
  declarations_of(*result->frame);
  value(result->expression, *result->frame);
  calls_.push_back(callee->getQualifiedNameAsString());
}

// Sizes and addresses of the kernel's containers never change; their elements are objects like others.
void Scan::container(const clang::CallExpr &call, const ContainerCall &asked, const Frame &frame) {
  using Kind = ContainerCall::Kind;
  if (asked.kind == Kind::Element || asked.kind == Kind::Last) return use(&call, frame, "read");
  if (asked.kind == Kind::Size && (asked.container.count || kernel_.container_leaf(*asked.object, ".size()", frame))) return;
  if (asked.kind == Kind::Data && kernel_.container_leaf(*asked.object, ".data()", frame)) return;
  refuse("calls " + call.getDirectCallee()->getNameAsString() + ", which is a library function");
}

void Scan::pure_call(const clang::CallExpr &call, const clang::FunctionDecl &callee, const Frame &frame) {
  arguments(call, frame);
  calls_.push_back(callee.getQualifiedNameAsString());
}

void Scan::arguments(const clang::CallExpr &call, const Frame &frame, bool looked_into) {
  // What a helper reads of an object that it is given is known where it was looked into; naming the object reads nothing.
  const auto argument = [&](const clang::Expr *one) {
    const bool object = one->isLValue() && one->getType()->isRecordType() && llvm::isa<clang::DeclRefExpr>(stripped(one));
    if (!looked_into || !object) value(one, frame);
  };
  if (const auto *method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call); method && method->getImplicitObjectArgument())
    argument(method->getImplicitObjectArgument());
  for (const clang::Expr *one : call.arguments()) argument(one);
}

void Scan::use(const clang::Expr *lvalue, const Frame &frame, std::string kind) {
  lvalue = stripped(lvalue);
  if (lvalue->getType().isVolatileQualified()) return refuse("volatile");
  if (kind == "write" && conditional_) kind = "update";
  const Place place = place_of(kernel_, lvalue, frame);
  switch (place.kind) {
  case Place::Kind::Value:
  case Place::Kind::Constant:
    if (kind != "read") return refuse("writes to something that is not modelled: " + kernel_.source.text(*lvalue));
    return parts(*lvalue, frame);
  case Place::Kind::Local:
    if (place.partial) parts(*lvalue, frame);
    return scalar(*place.variable, frame, place.partial && kind == "write" ? "update" : kind);
  case Place::Kind::Element:
    return element(place, *lvalue, frame, place.partial && kind == "write" ? "update" : kind);
  case Place::Kind::Unknown:
    break;
  }
  if (llvm::isa<clang::ArraySubscriptExpr, clang::UnaryOperator, clang::MemberExpr, clang::DeclRefExpr>(lvalue))
    return element(place, *lvalue, frame, kind);
  refuse(place.why);
}

Range Scan::hole_of(const Place &place, const clang::Expr &lvalue, const Frame &frame) const {
  if (!frame.is_root() || nested_ > 0) return {};
  if (place.arrow) {
    const auto &member = llvm::cast<clang::MemberExpr>(*place.hole);
    const Range base = kernel_.source.written(member.getBase()->getSourceRange());
    if (!base.valid() || member.getMemberLoc().isMacroID()) return {};
    return {base.begin, kernel_.source.offset(member.getMemberLoc())};
  }
  return kernel_.source.written(place.hole ? place.hole->getSourceRange() : lvalue.getSourceRange());
}

void Scan::element(const Place &place, const clang::Expr &lvalue, const Frame &frame, const std::string &kind) {
  Found found;
  found.access = {place.leaf, place.local, kind, place.subscripts, place.is_known() ? "" : place.why, place.candidates, {}, {}};
  const Range hole = hole_of(place, lvalue, frame);
  found.hole = hole;
  found.arrow = place.arrow;
  found.order = frame.is_root() ? kernel_.source.offset(lvalue.getBeginLoc()) : call_at_;
  const bool whole = place.hole && !place.arrow;
  found.access.type = kernel_.spelled((whole ? *place.hole : lvalue).getType().getUnqualifiedType());
  found.access.text = found.hole.valid() ? kernel_.source.text(found.hole) : kernel_.source.text(lvalue);
  if (place.arrow && found.hole.valid())
    found.access.text = "(*" + kernel_.source.text(*llvm::cast<clang::MemberExpr>(place.hole)->getBase()) + ")";
  const auto same = [&](const Found &known) {
    return found.hole.valid() && known.hole == found.hole && known.access.subscripts == found.access.subscripts &&
           known.access.leaf == found.access.leaf && known.access.local == found.access.local;
  };
  if (const auto known = std::find_if(found_.begin(), found_.end(), same); known != found_.end())
    known->access.kind = merged(known->access.kind, kind);
  else
    found_.push_back(std::move(found));
  const bool stays_in_text = frame.is_root() && !hole.valid();
  if (!place.is_known() || place.partial || stays_in_text) {
    const Deeper deeper(nested_);
    parts(lvalue, frame);
  }
}

// What the local variables of a helper are made from.
void Scan::declarations_of(const Frame &helper) {
  for (const clang::Stmt *statement : llvm::cast<clang::CompoundStmt>(helper.function->getBody())->body()) {
    const auto *declarations = llvm::dyn_cast<clang::DeclStmt>(statement);
    if (!declarations) continue;
    for (const clang::Decl *declaration : declarations->decls()) {
      const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration);
      if (variable && variable->isStaticLocal()) refuse("a helper has a static local");
      if (variable && variable->getInit()) bind(variable->getInit(), helper, variable->getType()->isReferenceType());
    }
  }
}

// What the pieces of an lvalue read: pointers and subscripts.
void Scan::parts(const clang::Expr &lvalue, const Frame &frame) {
  if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&lvalue)) {
    const Deeper deeper(nested_);
    value(subscript->getBase(), frame);
    value(subscript->getIdx(), frame);
  } else if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(&lvalue)) {
    if (member->isArrow()) return value(member->getBase(), frame);
    parts(*stripped(member->getBase()), frame);
  } else if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(&lvalue)) {
    value(unary->getSubExpr(), frame);
  } else if (const auto *call = llvm::dyn_cast<clang::CallExpr>(&lvalue)) {
    if (const auto asked = container_call(*call)) { // the container itself stays where it is
      const Deeper deeper(nested_);
      if (asked->index) value(asked->index, frame);
      return asked->container.kind == Container::Kind::Array ? parts(*stripped(asked->object), frame) : void();
    }
    arguments(*call, frame, kernel_.inlined(*call, frame).has_value());
    if (frame.is_root()) call_at_ = kernel_.source.offset(call->getBeginLoc());
    if (const auto result = kernel_.inlined(*call, frame)) {
      declarations_of(*result->frame);
      parts(*stripped(result->expression), *result->frame);
    }
  } else if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(&lvalue)) {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable && variable->getDeclContext() == &kernel_.function && !kernel_.is_parameter(*variable) &&
        !kernel_.is_loop_variable(*variable) && !variable->getType()->isArrayType())
      add_scalar(variable->getNameAsString(), "read", kernel_.spelled(variable->getType()));
  }
}

void Scan::scalar(const clang::VarDecl &variable, const Frame &frame, const std::string &kind) {
  const std::string name = variable.getNameAsString();
  if (kernel_.is_loop_variable(variable)) {
    if (kind != "read") return refuse("the loop variable " + name + " is written");
    if (!frame.is_root()) refuse("a helper uses the loop variable " + name);
    return;
  }
  const bool is_container = variable.getType()->isReferenceType() && container_of(variable.getType());
  if (kernel_.is_parameter(variable) && (is_container || !kernel_.locals.modified(variable)))
    return; // a pointer, struct or container as it came
  if (kernel_.locals.exposed(variable)) return refuse("the address of " + name + " is taken");
  if (!frame.is_root() && kernel_.locals.modified(variable)) return refuse("a helper uses " + name);
  add_scalar(name, kind, kernel_.spelled(variable.getType()));
}

void Scan::add_scalar(const std::string &name, const std::string &kind, const std::string &type) {
  const auto known = std::find_if(scalars_.begin(), scalars_.end(), [&](const ScalarUse &one) { return one.name == name; });
  if (known != scalars_.end())
    known->kind = merged(known->kind, kind);
  else
    scalars_.push_back({name, kind, type});
}

void Scan::declare(const clang::VarDecl &variable) {
  const clang::QualType type = variable.getType();
  if (!type->isArrayType()) return add_scalar(variable.getNameAsString(), "write", kernel_.spelled(type));
  Found all; // every element at once
  all.access = {"",
                variable.getNameAsString(),
                "write",
                {},
                "initialised as a whole",
                {},
                variable.getNameAsString(),
                kernel_.spelled(type)};
  for (clang::QualType at = type; at->isArrayType(); at = at->getAsArrayTypeUnsafe()->getElementType())
    all.access.subscripts.emplace_back();
  all.order = kernel_.source.offset(variable.getBeginLoc());
  found_.push_back(std::move(all));
}

void Scan::finish(Node &node, Range range) {
  std::stable_sort(found_.begin(), found_.end(), [](const Found &a, const Found &b) { return a.order < b.order; });
  node.begin = range.begin, node.end = range.end;
  node.text = kernel_.source.text(range);
  long at = range.begin;
  for (size_t k = 0; k < found_.size(); ++k) {
    Found &found = found_[k];
    node.accesses.push_back(found.access);
    if (!found.hole.valid() || found.hole.begin < at || !range.contains(found.hole)) continue;
    node.pattern += kernel_.source.text({at, found.hole.begin}) + "@" + std::to_string(k) + (found.arrow ? "." : "");
    at = found.hole.end;
  }
  node.pattern += kernel_.source.text({at, range.end});
  node.scalars = std::move(scalars_);
  std::sort(calls_.begin(), calls_.end());
  calls_.erase(std::unique(calls_.begin(), calls_.end()), calls_.end());
  node.calls = std::move(calls_);
}

} // namespace kopt::body
