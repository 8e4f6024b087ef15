#include "source/body_purity.h"

#include "source/body_locals.h"

#include <algorithm>
#include <array>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

namespace kopt::body {

namespace {

// Without the f and l suffixes of the C library.
constexpr std::array mathematical{"abs",      "labs",   "llabs", "fabs",  "sqrt",  "cbrt",  "hypot",     "pow",       "exp",
                                  "exp2",     "expm1",  "log",   "log2",  "log10", "log1p", "sin",       "cos",       "tan",
                                  "asin",     "acos",   "atan",  "atan2", "sinh",  "cosh",  "tanh",      "asinh",     "acosh",
                                  "atanh",    "erf",    "erfc",  "floor", "ceil",  "round", "trunc",     "nearbyint", "rint",
                                  "fmod",     "fmin",   "fmax",  "fdim",  "fma",   "isnan", "isinf",     "isfinite",  "signbit",
                                  "copysign", "lround", "lrint", "min",   "max",   "clamp", "remainder", "tgamma",    "lgamma"};

bool is_mathematical(const clang::FunctionDecl &function) {
  const clang::IdentifierInfo *identifier = function.getIdentifier();
  if (!identifier) return false;
  if (!function.getASTContext().getSourceManager().isInSystemHeader(function.getLocation()) && function.getBuiltinID() == 0)
    return false;
  llvm::StringRef name = identifier->getName();
  name.consume_front("__builtin_");
  const auto listed = [](llvm::StringRef word) {
    return std::any_of(mathematical.begin(), mathematical.end(), [&](const char *known) { return word == known; });
  };
  return listed(name) || (name.size() > 1 && (name.back() == 'f' || name.back() == 'l') && listed(name.drop_back()));
}

// Looks at one statement or expression of a function's body; returns what speaks against purity.
class Inspector {
public:
  Inspector(Purity &purity, const clang::FunctionDecl &function) : purity_(purity), function_(function) {}

  std::string objection(const clang::Stmt &node) {
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(&node); binary && binary->isAssignmentOp())
      return written(*binary->getLHS());
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
      if (unary->isIncrementDecrementOp()) return written(*unary->getSubExpr());
      if (unary->getOpcode() == clang::UO_Deref) return "reads through a pointer";
      if (unary->getOpcode() == clang::UO_AddrOf) return "takes an address";
    }
    if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node))
      return storage_of(subscript).variable ? "" : "reads through a pointer";
    if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(&node))
      return member->isArrow() && !llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())
                 ? "reads through a pointer"
                 : "";
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(&node)) return used(*reference->getDecl());
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(&node)) return called(*call);
    if (const auto *construction = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
      const clang::CXXConstructorDecl &constructor = *construction->getConstructor();
      return constructor.isTrivial() || constructor.isConstexpr() ? "" : "constructs an object";
    }
    if (llvm::isa<clang::CXXNewExpr, clang::CXXDeleteExpr, clang::CXXThrowExpr, clang::LambdaExpr, clang::AtomicExpr,
                  clang::CXXTypeidExpr>(node))
      return "uses new, delete, throw, a lambda or atomics";
    return llvm::isa<clang::AsmStmt, clang::CXXTryStmt, clang::GotoStmt>(node) ? "uses asm, try or goto" : "";
  }

private:
  std::string written(const clang::Expr &lvalue) const {
    const clang::VarDecl *variable = storage_of(&lvalue).variable;
    const bool own = variable && variable->hasLocalStorage() && variable->getDeclContext() == &function_;
    return own && !variable->getType()->isReferenceType() ? "" : "writes to something that is not its own";
  }

  std::string used(const clang::ValueDecl &declaration) const {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    if (!variable) return "";
    if (variable->getType().isVolatileQualified()) return "uses a volatile";
    if (is_constant_global(*variable)) return "";
    if (variable->hasGlobalStorage()) return "uses the global " + variable->getNameAsString();
    return variable->getDeclContext() == &function_ ? "" : "captures " + variable->getNameAsString();
  }

  std::string called(const clang::CallExpr &call) {
    const clang::FunctionDecl *callee = call.getDirectCallee();
    if (!callee) return "calls through a pointer";
    for (const clang::ParmVarDecl *parameter : callee->parameters()) {
      const clang::QualType type = parameter->getType();
      if (type->isReferenceType() && !type.getNonReferenceType().isConstQualified()) return "passes something by reference";
    }
    const std::string why = purity_.objection(*callee);
    return why.empty() ? "" : callee->getNameAsString() + " " + why;
  }

  Purity &purity_;
  const clang::FunctionDecl &function_;
};

} // namespace

std::string Purity::objection(const clang::FunctionDecl &function) {
  if (is_mathematical(function)) return "";
  const clang::FunctionDecl *definition = nullptr;
  if (!function.hasBody(definition)) return "has no body here";
  if (definition->getASTContext().getSourceManager().isInSystemHeader(definition->getLocation()))
    return "is a library function";
  if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(definition);
      method && method->isInstance() && (method->isVirtual() || !method->isConst()))
    return "may change its object";
  const auto [entry, is_new] = known_.try_emplace(definition, "is recursive");
  if (is_new) entry->second = look(*definition);
  return known_[definition];
}

std::string Purity::look(const clang::FunctionDecl &definition) {
  Inspector inspector(*this, definition);
  std::string why;
  walk(definition.getBody(), [&](const clang::Stmt &node, const clang::Stmt *) {
    if (why.empty()) why = inspector.objection(node);
    if (const auto *declarations = llvm::dyn_cast<clang::DeclStmt>(&node); declarations && why.empty())
      for (const clang::Decl *declaration : declarations->decls())
        if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration))
          if (variable->isStaticLocal() || variable->getType().isVolatileQualified()) why = "has a static or volatile local";
  });
  return why;
}

} // namespace kopt::body
