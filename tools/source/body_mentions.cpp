#include "source/body_mentions.h"

#include <clang/AST/DeclCXX.h>
#include <clang/Basic/SourceManager.h>

namespace kopt::body {

namespace {

class Mentions {
public:
  explicit Mentions(const Kernel &kernel) : kernel_(kernel) {}

  void collect(const clang::Stmt *node) {
    walk(node, [&](const clang::Stmt &inner, const clang::Stmt *) {
      if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(&inner)) add(*reference->getDecl());
      if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(&inner)) add(*member->getMemberDecl());
      if (const auto *construction = llvm::dyn_cast<clang::CXXConstructExpr>(&inner)) add(*construction->getConstructor());
      if (llvm::isa<clang::CallExpr>(inner) && !llvm::cast<clang::CallExpr>(inner).getDirectCallee()) reaches_globals_ = true;
    });
  }

  // Whether the code can reach what the leaf stands for.
  [[nodiscard]] bool reach(const Leaf &leaf) const {
    if (leaf.origin == "global" && reaches_globals_) return true;
    for (const clang::VarDecl *variable : variables_)
      if (root_of(leaf) == name_of(*variable)) return true;
    return false;
  }

  [[nodiscard]] const clang::VarDecl *root(const Leaf &leaf) const {
    for (const clang::VarDecl *variable : variables_)
      if (root_of(leaf) == name_of(*variable)) return variable;
    return nullptr;
  }

private:
  [[nodiscard]] std::string name_of(const clang::VarDecl &variable) const {
    if (kernel_.is_parameter(variable)) return "parameter " + variable.getNameAsString();
    return Kernel::is_global(variable) ? "global " + variable.getQualifiedNameAsString() : "";
  }

  static std::string root_of(const Leaf &leaf) {
    return leaf.origin == "global" ? "global " + leaf.symbol : "parameter " + leaf.path.substr(0, leaf.path.find('.'));
  }

  void add(const clang::ValueDecl &declaration) {
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) return add_function(*function);
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    if (!variable || !variables_.insert(variable).second) return;
    if (!variable->isLocalVarDecl()) return;
    collect(variable->getInit());
    for (const Write &write : kernel_.locals.writes(*variable)) collect(write.where);
  }

  void add_function(const clang::FunctionDecl &function) {
    const clang::FunctionDecl *definition = nullptr;
    if (!function.hasBody(definition)) {
      const bool in_system = kernel_.context.getSourceManager().isInSystemHeader(function.getLocation());
      reaches_globals_ = reaches_globals_ || !(in_system || function.getBuiltinID() != 0);
      return;
    }
    if (functions_.insert(definition).second) collect(definition->getBody());
  }

  const Kernel &kernel_;
  std::set<const clang::VarDecl *> variables_;
  std::set<const clang::FunctionDecl *> functions_;
  bool reaches_globals_ = false;
};

} // namespace

void note_mentions(Kernel &kernel, const clang::Stmt &opaque) {
  Mentions mentions(kernel);
  mentions.collect(&opaque);
  for (const Leaf &leaf : kernel.model.leaves)
    if (leaf.origin != "result" && mentions.reach(leaf)) kernel.uses.opaque.insert(leaf.path);
}

Uses uses_of(const Kernel &kernel) {
  Uses uses = kernel.uses;
  Mentions mentions(kernel);
  mentions.collect(kernel.function.getBody());
  for (const Leaf &leaf : kernel.model.leaves) {
    if (leaf.origin == "result" || !mentions.reach(leaf)) continue;
    uses.mentioned.insert(leaf.path);
    const clang::VarDecl *root = mentions.root(leaf);
    const auto dot = leaf.path.find('.');
    if (!root || kernel.changes(*root, dot == std::string::npos ? "" : leaf.path.substr(dot))) uses.modified.insert(leaf.path);
  }
  return uses;
}

} // namespace kopt::body
