#include "source/resizing.h"

#include "source/body_source.h"
#include "source/container.h"
#include "source/names.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>
#include <vector>

namespace kopt {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::Expr;
using clang::FunctionDecl;
using clang::QualType;
using clang::Stmt;
using clang::VarDecl;

bool holds_container(QualType type, int depth = 0) {
  type = type.getNonReferenceType();
  if (const auto held = container_of(type)) return held->kind != Container::Kind::Array;
  const auto *record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || depth > 4) return false;
  for (const auto *field : record->fields())
    if (holds_container(field->getType(), depth + 1)) return true;
  return false;
}

bool is_mutable_reference(QualType type) { return type->isReferenceType() && !type.getNonReferenceType().isConstQualified(); }

// Follows the containers of the kernel's parameters through references and calls. `watched` are the variables that are, hold or
// refer to one; a member function is watched when its object is.
class Watch {
public:
  explicit Watch(const FunctionDecl &kernel) : kernel_(kernel) {
    for (const clang::ParmVarDecl *parameter : kernel.parameters())
      if (holds_container(parameter->getType()) && !parameter->getType().getNonReferenceType().isConstQualified())
        variables_.insert(parameter);
    if (!variables_.empty()) enter(kernel);
  }

  Result<void> follow() {
    for (std::size_t known = 0; known != variables_.size() + methods_.size();) { // until nothing more is watched
      known = variables_.size() + methods_.size();
      for (std::size_t k = 0; k < functions_.size(); ++k) look(*functions_[k]);
    }
    if (where_.isInvalid()) return {};
    return fail("the kernel may change the size of a container that its caller passes: " + what_,
                where_of(kernel_.getASTContext(), where_),
                "let the caller size the container, and the kernel fill its elements");
  }

private:
  void enter(const FunctionDecl &function) {
    if (std::find(functions_.begin(), functions_.end(), &function) == functions_.end()) functions_.push_back(&function);
  }

  void look(const FunctionDecl &function) {
    body::walk(function.getBody(), [&](const Stmt &node, const Stmt *) {
      if (const auto *declarations = dyn_cast<clang::DeclStmt>(&node)) declare(*declarations);
      if (const auto *call = dyn_cast<clang::CallExpr>(&node)) this->call(*call);
      if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(&node)) {
        const clang::CXXConstructorDecl &constructor = *construction->getConstructor();
        for (unsigned k = 0; k < std::min(construction->getNumArgs(), constructor.getNumParams()); ++k)
          hand(*construction->getArg(k), *constructor.getParamDecl(k), constructor);
      }
    });
  }

  void declare(const clang::DeclStmt &statement) {
    for (const clang::Decl *declaration : statement.decls()) {
      const auto *variable = dyn_cast<VarDecl>(declaration);
      if (variable && variable->getInit() && is_mutable_reference(variable->getType()) && is_watched(*variable->getInit()))
        variables_.insert(variable);
    }
  }

  void call(const clang::CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    if (!callee || container_call(call)) return;
    const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
    const auto *member_call = dyn_cast<clang::CXXMemberCallExpr>(&call);
    const bool is_operator = dyn_cast<clang::CXXOperatorCallExpr>(&call) && method && method->isInstance();
    const Expr *object = member_call ? member_call->getImplicitObjectArgument() : is_operator ? call.getArg(0) : nullptr;
    if (object && method && !method->isConst() && is_watched(*object)) {
      if (const FunctionDecl *body = own_body(*callee))
        methods_.insert(body), enter(*body);
      else
        refuse(call, *callee);
    }
    const unsigned first = is_operator ? 1 : 0;
    for (unsigned k = 0; k + first < call.getNumArgs() && k < callee->getNumParams(); ++k)
      hand(*call.getArg(k + first), *callee->getParamDecl(k), *callee);
  }

  // An argument that the callee may change.
  void hand(const Expr &argument, const clang::ParmVarDecl &parameter, const FunctionDecl &callee) {
    if (!is_mutable_reference(parameter.getType()) || !is_watched(argument)) return;
    const FunctionDecl *body = own_body(callee);
    if (!body) return refuse(argument, callee);
    variables_.insert(body->getParamDecl(parameter.getFunctionScopeIndex()));
    enter(*body);
  }

  // A body that can be followed; the library's are not.
  const FunctionDecl *own_body(const FunctionDecl &callee) const {
    const FunctionDecl *body = nullptr;
    const auto &sources = kernel_.getASTContext().getSourceManager();
    return callee.hasBody(body) && !sources.isInSystemHeader(body->getLocation()) ? body : nullptr;
  }

  void refuse(const Expr &place, const FunctionDecl &callee) {
    if (where_.isValid()) return;
    where_ = place.getBeginLoc();
    what_ = qualified_name(callee);
  }

  // An lvalue that is, holds or refers to a watched container.
  bool is_watched(const Expr &lvalue) const {
    const Expr *at = lvalue.IgnoreParenImpCasts();
    if (!holds_container(at->getType())) return false;
    while (const auto *member = dyn_cast<clang::MemberExpr>(at)) at = member->getBase()->IgnoreParenImpCasts();
    if (const auto *self = dyn_cast<clang::CXXThisExpr>(at))
      return self && std::any_of(methods_.begin(), methods_.end(), [&](const FunctionDecl *method) {
               return dyn_cast<clang::CXXMethodDecl>(method)->getParent() == self->getType()->getPointeeCXXRecordDecl();
             });
    const auto *reference = dyn_cast<clang::DeclRefExpr>(at);
    const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    return variable && variables_.contains(variable);
  }

  const FunctionDecl &kernel_;
  std::set<const VarDecl *> variables_;
  std::set<const FunctionDecl *> methods_; // of a watched object
  std::vector<const FunctionDecl *> functions_;
  clang::SourceLocation where_;
  std::string what_;
};

} // namespace

Result<void> check_sizes_stay(const FunctionDecl &kernel) { return Watch(kernel).follow(); }

} // namespace kopt
