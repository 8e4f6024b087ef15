#include "source/references.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ExprConcepts.h>
#include <clang/AST/TypeLoc.h>

namespace kopt {
namespace {

using namespace clang; // the AST's vocabulary fills this file

class Visitor final : public ConstDynamicRecursiveASTVisitor {
public:
  Visitor(ASTContext &context, const Found &found, const Sought &sought) : context_(context), found_(found), sought_(sought) {
    ShouldVisitTemplateInstantiations = false; // the closure asks for those that are used
    ShouldVisitImplicitCode = true;            // defaulted constructors call those of members
  }

  bool VisitDeclRefExpr(const DeclRefExpr *expression) override {
    note(expression->getDecl());
    if (expression->getFoundDecl() != expression->getDecl()) note(expression->getFoundDecl());
    return true;
  }
  bool VisitMemberExpr(const MemberExpr *expression) override { return note(expression->getMemberDecl()); }
  bool VisitCXXConstructExpr(const CXXConstructExpr *expression) override { return note(expression->getConstructor()); }
  bool VisitOverloadExpr(const OverloadExpr *expression) override { // a dependent name: any of these may be meant
    for (const NamedDecl *candidate : expression->decls()) {
      note(candidate);
      note(candidate->getUnderlyingDecl());
    }
    const auto *unqualified = dyn_cast<UnresolvedLookupExpr>(expression);
    if (unqualified && unqualified->requiresADL()) sought_(expression->getName());
    return true;
  }
  bool VisitBinaryOperator(const BinaryOperator *expression) override { // the operands of a template's may be of any type
    if (!expression->isTypeDependent()) return true;
    const auto kind = BinaryOperator::getOverloadedOperator(expression->getOpcode());
    if (kind != OO_None) sought_(context_.DeclarationNames.getCXXOperatorName(kind));
    return true;
  }
  bool VisitClassTemplateSpecializationDecl(const ClassTemplateSpecializationDecl *special) override {
    return note(special->getSpecializedTemplate());
  }
  bool VisitBindingDecl(const BindingDecl *binding) override { // of something like a tuple: made by calls of get<>
    const VarDecl *made = binding->getHoldingVar();
    return !made || (note_type(made->getType()) && TraverseStmt(made->getInit()));
  }
  bool VisitConceptSpecializationExpr(const ConceptSpecializationExpr *expression) override {
    return note(expression->getNamedConcept());
  }
  bool VisitExpr(const Expr *expression) override { return note_type(expression->getType()); }
  bool VisitValueDecl(const ValueDecl *value) override { return note_type(value->getType()); }

  bool VisitTypedefTypeLoc(TypedefTypeLoc type) override { return note(type.getDecl()); }
  bool VisitTagTypeLoc(TagTypeLoc type) override { return note(type.getDecl()); }
  bool VisitUsingTypeLoc(UsingTypeLoc type) override { return note(type.getDecl()); }
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc type) override {
    return note_template(type.getTypePtr()->getTemplateName());
  }
  bool VisitDeducedTemplateSpecializationTypeLoc(DeducedTemplateSpecializationTypeLoc type) override {
    return note_template(type.getTypePtr()->getTemplateName());
  }

  bool TraverseNestedNameSpecifierLoc(NestedNameSpecifierLoc name) override {
    if (name && name.getNestedNameSpecifier().getKind() == NestedNameSpecifier::Kind::Namespace)
      if (const auto *alias = dyn_cast<NamespaceAliasDecl>(name.getNestedNameSpecifier().getAsNamespaceAndPrefix().Namespace))
        note(alias);
    return ConstDynamicRecursiveASTVisitor::TraverseNestedNameSpecifierLoc(name);
  }

  bool VisitUsingDirectiveDecl(const UsingDirectiveDecl *directive) override {
    return note(directive->getNominatedNamespace());
  }
  bool VisitNamespaceAliasDecl(const NamespaceAliasDecl *alias) override { return note(alias->getNamespace()); }
  bool VisitUsingDecl(const UsingDecl *use) override {
    for (const UsingShadowDecl *shadow : use->shadows()) note(shadow->getTargetDecl());
    return true;
  }

private:
  bool note(const Decl *declaration) {
    if (declaration) found_(declaration);
    return true;
  }
  bool note_type(QualType type) {
    while (!type.isNull() && (type->isAnyPointerType() || type->isReferenceType())) type = type->getPointeeType();
    if (type.isNull()) return true;
    if (const auto *array = type->getAsArrayTypeUnsafe()) return note_type(array->getElementType());
    return note(type->getAsTagDecl());
  }
  bool note_template(TemplateName name) {
    if (const UsingShadowDecl *shadow = name.getAsUsingShadowDecl()) note(shadow);
    return note(name.getAsTemplateDecl());
  }

  ASTContext &context_;
  const Found &found_;
  const Sought &sought_;
};

// One step from a declaration towards its written form; the same where it is written.
const Decl *step(const Decl *declaration) {
  if (const auto *function = dyn_cast<FunctionDecl>(declaration)) {
    if (const FunctionDecl *pattern = function->getTemplateInstantiationPattern()) return pattern;
    if (const auto *made = function->getDescribedFunctionTemplate()) return made;
  } else if (const auto *special = dyn_cast<ClassTemplateSpecializationDecl>(declaration)) {
    if (special->getTemplateSpecializationKind() == TSK_ExplicitSpecialization) return special;
    if (isa<ClassTemplatePartialSpecializationDecl>(special)) return special;
    const auto from = special->getSpecializedTemplateOrPartial();
    if (const auto *partial = dyn_cast_if_present<ClassTemplatePartialSpecializationDecl *>(from)) return partial;
    return cast<ClassTemplateDecl *>(from);
  } else if (const auto *record = dyn_cast<CXXRecordDecl>(declaration)) {
    if (const CXXRecordDecl *pattern = record->getTemplateInstantiationPattern()) return pattern;
    if (const auto *made = record->getDescribedClassTemplate()) return made;
  } else if (const auto *variable = dyn_cast<VarDecl>(declaration)) {
    if (const VarDecl *pattern = variable->getTemplateInstantiationPattern()) return pattern;
    if (const auto *made = variable->getDescribedVarTemplate()) return made;
  } else if (const auto *alias = dyn_cast<TypeAliasDecl>(declaration)) {
    if (const auto *made = alias->getDescribedAliasTemplate()) return made;
  } else if (isa<EnumConstantDecl>(declaration)) {
    return cast<EnumDecl>(declaration->getDeclContext());
  }
  return declaration;
}

} // namespace

void for_each_reference(const Decl *declaration, const Found &found, const Sought &sought) {
  Visitor(declaration->getASTContext(), found, sought).TraverseDecl(declaration);
}

const Decl *written(const Decl *declaration) {
  for (;;) {
    if (isa<ParmVarDecl, TemplateTypeParmDecl, NonTypeTemplateParmDecl, TemplateTemplateParmDecl, TranslationUnitDecl>(
            declaration))
      return nullptr;
    if (declaration->isImplicit() && !isa<CXXRecordDecl>(declaration) && !isa<CXXMethodDecl>(declaration)) return nullptr;
    const Decl *next = step(declaration);
    if (next == declaration) return declaration;
    declaration = next;
  }
}

} // namespace kopt
