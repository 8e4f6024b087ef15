#include "source/members.h"

#include "source/names.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/SourceManager.h>

#include <optional>

namespace kopt {
namespace {

using clang::CXXMethodDecl;
using clang::CXXRecordDecl;
using clang::Decl;
using clang::dyn_cast;
using clang::SourceLocation;

// The class that a declaration is a member of, also through an enumeration; null if it is none.
const CXXRecordDecl *class_of(const Decl &declaration) {
  const clang::DeclContext *scope = declaration.getDeclContext();
  if (clang::isa<clang::EnumDecl>(scope)) scope = scope->getParent();
  return dyn_cast<CXXRecordDecl>(scope);
}

struct MemberUse { // of the kernel's own class or a class around it
  const clang::NamedDecl *member = nullptr;
  SourceLocation location;
  bool qualified = false; // Sums::scale
};

// Collects what a kernel uses of its classes.
class Uses final : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit Uses(const CXXMethodDecl &kernel) : kernel_(kernel) {}

  std::vector<MemberUse> members;
  const clang::CXXThisExpr *object = nullptr;
  const clang::MemberExpr *state = nullptr;

  bool VisitDeclRefExpr(const clang::DeclRefExpr *use) override {
    return note(use->getDecl(), use->getLocation(), use->hasQualifier());
  }
  bool VisitMemberExpr(const clang::MemberExpr *use) override {
    if (clang::isa<clang::CXXThisExpr>(use->getBase()->IgnoreParenImpCasts()) && !state) state = use;
    return true;
  }
  bool VisitCXXThisExpr(const clang::CXXThisExpr *use) override {
    if (!object) object = use;
    return true;
  }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) override {
    return note(type.getDecl(), type.getNameLoc(), follows_colons(type.getNameLoc()));
  }
  bool VisitTagTypeLoc(clang::TagTypeLoc type) override {
    return note(type.getDecl(), type.getNameLoc(), follows_colons(type.getNameLoc()));
  }

private:
  bool note(const clang::NamedDecl *declaration, SourceLocation location, bool qualified) {
    const CXXRecordDecl *owner = class_of(*declaration);
    const bool is_own_class = clang::isa<CXXRecordDecl>(declaration) && encloses(*clang::cast<CXXRecordDecl>(declaration));
    if (is_own_class || (owner && (encloses(*owner) || kernel_.getParent()->isDerivedFrom(owner))))
      members.push_back({declaration, location, qualified || !owner}); // the class' own name is its namespace's
    return true;
  }
  [[nodiscard]] bool encloses(const CXXRecordDecl &record) const {
    for (const clang::DeclContext *scope = kernel_.getParent(); scope; scope = scope->getParent())
      if (const auto *around = dyn_cast<CXXRecordDecl>(scope))
        if (around->getCanonicalDecl() == record.getCanonicalDecl()) return true;
    return false;
  }
  [[nodiscard]] bool follows_colons(SourceLocation location) const {
    const auto &sources = kernel_.getASTContext().getSourceManager();
    const auto [file, offset] = sources.getDecomposedSpellingLoc(location);
    const llvm::StringRef before = sources.getBufferData(file).take_front(offset).rtrim();
    return before.ends_with("::");
  }

  const CXXMethodDecl &kernel_;
};

class MemberCheck {
public:
  explicit MemberCheck(const CXXMethodDecl &kernel)
      : kernel_(kernel), context_(kernel.getASTContext()), name_(qualified_name(kernel)),
        where_(where_of(context_, kernel.getLocation())) {
    const clang::FunctionDecl *written = kernel.getTemplateInstantiationPattern();
    in_class_ = (written ? written : &kernel)->getLexicalDeclContext()->isRecord();
  }

  Result<void> run() {
    KOPT_CHECK(check_function());
    Uses uses(kernel_);
    uses.TraverseStmt(kernel_.getBody());
    if (!kernel_.isStatic()) KOPT_CHECK(check_object(uses));
    for (const MemberUse &use : uses.members) KOPT_CHECK(check_use(use));
    return check_parameters();
  }

private:
  [[nodiscard]] tl::unexpected<Error> refuse(const std::string &why, const std::string &remedy) const {
    return fail(name_ + " " + why, where_, remedy);
  }

  Result<void> check_function() const {
    if (kernel_.isVirtual()) return refuse("is a virtual function, which cannot be a kernel yet", free_function);
    if (clang::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl, clang::CXXConversionDecl>(kernel_))
      return refuse("is a constructor, destructor or conversion, which cannot be a kernel", free_function);
    if (kernel_.getParent()->isDependentContext() || kernel_.getParent()->getTemplateInstantiationPattern())
      return refuse("is a member of a class template, which cannot be a kernel", "make it a function template of its own");
    for (const clang::DeclContext *scope = &kernel_; clang::isa<CXXMethodDecl, CXXRecordDecl>(scope);
         scope = scope->getParent())
      if (const auto access = Decl::castFromDeclContext(scope)->getAccess();
          access == clang::AS_private || access == clang::AS_protected)
        return refuse("is private, so that it cannot be called to be measured", "make it public, or " + free_function);
    return {};
  }

  // A call operator is called on an object made for it, if nothing of the object matters.
  Result<void> check_object(const Uses &uses) const {
    if (uses.state)
      return fail(name_ + " uses the member '" + uses.state->getMemberDecl()->getNameAsString() +
                      "' of its object, which cannot be recorded",
                  where_of(context_, uses.state->getMemberLoc()),
                  "pass it as a parameter, and make the function static or free");
    if (uses.object)
      return fail(name_ + " uses 'this', which cannot be recorded", where_of(context_, uses.object->getLocation()),
                  free_function);
    if (kernel_.getOverloadedOperator() != clang::OO_Call)
      return refuse("is a member function of an object that it does not use", "make it static, or " + free_function);
    const CXXRecordDecl &record = *kernel_.getParent();
    if (!record.isEmpty() || !record.hasDefaultConstructor())
      return refuse("is the call operator of a class with state", free_function);
    return {};
  }

  Result<void> check_use(const MemberUse &use) const {
    const std::string member = use.member->getNameAsString(), where = where_of(context_, use.location);
    if (in_class_)
      return fail(name_ + " is defined inside its class and uses the class' own '" + member +
                      "', which a variant ahead of the class cannot",
                  where, "move the definition out of the class, or " + free_function);
    if (use.member->getAccess() == clang::AS_private || use.member->getAccess() == clang::AS_protected)
      return fail(name_ + " uses the private member '" + member + "', which a variant outside of the class cannot", where,
                  "make it public, or " + free_function);
    if (!use.qualified)
      return fail(name_ + " uses the class' own '" + member + "' by its bare name, which a variant outside of the class cannot",
                  where, "write " + qualified_name(*use.member));
    return {};
  }

  Result<void> check_parameters() const {
    for (const clang::ParmVarDecl *parameter : kernel_.parameters()) {
      clang::QualType type = parameter->getType().getCanonicalType();
      while (type->isAnyPointerType() || type->isReferenceType()) type = type->getPointeeType();
      const clang::TagDecl *tag = type->getAsTagDecl();
      if (!tag) continue;
      const CXXRecordDecl *owner = class_of(*tag);
      const bool hidden = owner && (tag->getAccess() == clang::AS_private || tag->getAccess() == clang::AS_protected);
      const bool own = tag == kernel_.getParent() || owner == kernel_.getParent();
      if (hidden || (own && in_class_))
        return fail(name_ + " takes a '" + qualified_name(*tag) + "', which a variant outside of the class cannot name",
                    where_of(context_, parameter->getLocation()),
                    hidden ? "make it public, or " + free_function
                           : "move the definition out of the class, or " + free_function);
    }
    return {};
  }

  const std::string free_function = "put the code in a free function in a source of the target and call it from here";
  const CXXMethodDecl &kernel_;
  const clang::ASTContext &context_;
  std::string name_, where_;
  bool in_class_ = false;
};

} // namespace

Result<void> check_member(const clang::FunctionDecl &kernel) {
  const auto *method = dyn_cast<CXXMethodDecl>(&kernel);
  if (!method) return {};
  return MemberCheck(*method).run();
}

} // namespace kopt
