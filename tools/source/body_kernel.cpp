#include "source/body_kernel.h"

#include <algorithm>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/SourceManager.h>

namespace kopt::body {

namespace {

constexpr int deepest_inlining = 8;

// The returned expression if the body is one return statement after plain declarations.
const clang::Expr *only_result(const clang::FunctionDecl &definition) {
  const auto *body = llvm::dyn_cast_or_null<clang::CompoundStmt>(definition.getBody());
  if (!body || body->body_empty()) return nullptr;
  for (const clang::Stmt *statement : body->body()) {
    if (statement == body->body_back()) break;
    if (!llvm::isa<clang::DeclStmt, clang::NullStmt>(statement)) return nullptr;
  }
  const auto *result = llvm::dyn_cast<clang::ReturnStmt>(body->body_back());
  return result ? result->getRetValue() : nullptr;
}

} // namespace

const clang::Expr *stripped(const clang::Expr *expression) {
  while (true) {
    const clang::Expr *inner = expression->IgnoreParens();
    if (const auto *cleanups = llvm::dyn_cast<clang::FullExpr>(inner)) inner = cleanups->getSubExpr();
    if (const auto *temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(inner)) inner = temporary->getSubExpr();
    if (const auto *bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(inner)) inner = bound->getSubExpr();
    if (const auto *constant = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(inner)) inner = constant->getReplacement();
    if (const auto *standard = llvm::dyn_cast<clang::CXXDefaultArgExpr>(inner)) inner = standard->getExpr();
    if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(inner); cast && cast->getCastKind() == clang::CK_NoOp)
      inner = cast->getSubExpr();
    if (inner == expression) return expression;
    expression = inner;
  }
}

const Frame &frame_of_object(const Frame &frame) {
  const Frame *at = &frame;
  while (at->object && at->caller && llvm::isa<clang::CXXThisExpr>(stripped(at->object))) at = at->caller;
  return *at;
}

Kernel::Kernel(clang::ASTContext &ast, const clang::FunctionDecl &definition, Model &described)
    : context(ast), function(definition), model(described), source(ast), locals(definition) {
  root.function = &definition;
  std::set<std::string> visible;
  for (const clang::ParmVarDecl *parameter : definition.parameters()) visible.insert(parameter->getNameAsString());
  for (const Leaf &leaf : model.leaves)
    if (leaf.origin == "global") visible.insert(leaf.symbol.substr(leaf.symbol.rfind(':') + 1)); // npos + 1 is 0
  find_shadowed(definition.getBody(), visible);
  std::set<const clang::FunctionDecl *> seen;
  find_written_globals(definition.getBody(), seen);
}

void Kernel::find_written_globals(const clang::Stmt *code, std::set<const clang::FunctionDecl *> &seen) {
  walk(code, [&](const clang::Stmt &node, const clang::Stmt *) {
    const clang::FunctionDecl *callee = nullptr, *definition = nullptr;
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(&node)) callee = call->getDirectCallee();
    if (const auto *construction = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) callee = construction->getConstructor();
    if (!callee || !callee->hasBody(definition) || context.getSourceManager().isInSystemHeader(definition->getLocation()))
      return;
    if (!seen.insert(definition).second) return;
    for (const auto &[variable, writes] : locals_of(*definition).all_writes())
      if (is_global(*variable)) written_by_callees_.insert(variable);
    find_written_globals(definition->getBody(), seen);
  });
}

const Leaf *Kernel::container_leaf(const clang::Expr &object, const char *what, const Frame &frame) const {
  const Storage storage = this->storage(&object, frame);
  return storage.variable ? leaf(*storage.variable, storage.members + what) : nullptr;
}

bool Kernel::changes(const clang::VarDecl &variable, const std::string &members) const {
  return locals.modified(variable, members) || written_by_callees_.contains(variable.getCanonicalDecl());
}

void Kernel::find_shadowed(const clang::Stmt *node, std::set<std::string> &visible) {
  if (!node || llvm::isa<clang::LambdaExpr>(node)) return;
  if (const auto *declarations = llvm::dyn_cast<clang::DeclStmt>(node)) {
    for (const clang::Decl *declaration : declarations->decls())
      if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration))
        if (!visible.insert(variable->getNameAsString()).second) shadowed_.insert(variable->getNameAsString());
    return;
  }
  if (llvm::isa<clang::Expr>(node)) return;
  std::set<std::string> scope = visible;
  for (const clang::Stmt *child : node->children()) find_shadowed(child, scope);
}

std::string Kernel::shadowed_name(const clang::Stmt &code) const {
  std::string found;
  if (shadowed_.empty()) return found;
  const auto look = [&](const clang::Decl *declaration) {
    const auto *variable = llvm::dyn_cast_or_null<clang::VarDecl>(declaration);
    const bool ours = variable && (variable->getDeclContext() == &function || is_global(*variable));
    if (ours && shadowed_.contains(variable->getNameAsString())) found = variable->getNameAsString();
  };
  walk(&code, [&](const clang::Stmt &node, const clang::Stmt *) {
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(&node)) look(reference->getDecl());
    if (const auto *declarations = llvm::dyn_cast<clang::DeclStmt>(&node))
      for (const clang::Decl *declaration : declarations->decls()) look(declaration);
  });
  return found;
}

bool Kernel::is_loop_variable(const clang::VarDecl &variable) const {
  return std::find(loops.begin(), loops.end(), &variable) != loops.end();
}

bool Kernel::is_parameter(const clang::VarDecl &variable) const {
  return llvm::isa<clang::ParmVarDecl>(variable) && variable.getDeclContext() == &function;
}

bool Kernel::is_global(const clang::VarDecl &variable) { return variable.hasGlobalStorage() && !variable.isStaticLocal(); }

const Leaf *Kernel::leaf(const clang::VarDecl &variable, const std::string &members) const {
  const std::string path = variable.getNameAsString() + members;
  if (is_parameter(variable)) {
    const Leaf *found = model.leaf(path);
    return found && found->origin == "parameter" ? found : nullptr;
  }
  if (!is_global(variable)) return nullptr;
  const std::string symbol = variable.getQualifiedNameAsString();
  const auto is_it = [&](const Leaf &leaf) {
    return leaf.origin == "global" && leaf.symbol == symbol && (leaf.path == path || leaf.path == symbol + members);
  };
  const auto found = std::find_if(model.leaves.begin(), model.leaves.end(), is_it);
  return found == model.leaves.end() ? nullptr : &*found;
}

Storage Kernel::storage(const clang::Expr *lvalue, const Frame &frame) const {
  lvalue = stripped(lvalue);
  if (const auto *copy = llvm::dyn_cast<clang::CXXConstructExpr>(lvalue)) // a struct passed by value
    return copy->getNumArgs() == 1 && copy->getConstructor()->isCopyOrMoveConstructor() ? storage(copy->getArg(0), frame)
                                                                                        : Storage{};
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(lvalue)) {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (!variable) return {};
    if (const auto bound = argument(*variable, frame)) return storage(bound->expression, *bound->frame);
    if (variable->getType()->isReferenceType() && variable->isLocalVarDecl() && variable->getInit())
      return storage(variable->getInit(), frame);
    return {variable, {}};
  }
  const auto *member = llvm::dyn_cast<clang::MemberExpr>(lvalue);
  if (!member || !llvm::isa<clang::FieldDecl>(member->getMemberDecl())) return {};
  Storage base;
  if (llvm::isa<clang::CXXThisExpr>(stripped(member->getBase()))) {
    const Frame &owner = frame_of_object(frame);
    if (!owner.object || owner.object->getType()->isPointerType()) return {};
    base = storage(owner.object, *owner.caller);
  } else if (!member->isArrow()) {
    base = storage(member->getBase(), frame);
  }
  if (!base.variable) return {};
  return {base.variable, base.members + "." + member->getMemberDecl()->getNameAsString()};
}

std::optional<InFrame> Kernel::inlined(const clang::CallExpr &call, const Frame &frame) {
  const clang::FunctionDecl *definition = nullptr;
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee || !callee->hasBody(definition) || frame.depth >= deepest_inlining || definition->isVariadic())
    return std::nullopt;
  if (context.getSourceManager().isInSystemHeader(definition->getLocation())) return std::nullopt;
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(definition);
  if (method && method->isVirtual()) return std::nullopt;
  const clang::Expr *result = only_result(*definition);
  if (!result || !locals_of(*definition).all_writes().empty()) return std::nullopt;

  Frame inner{definition, &frame, {}, nullptr, frame.depth + 1};
  unsigned first = 0;
  if (const auto *member_call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call))
    inner.object = member_call->getImplicitObjectArgument();
  else if (method && method->isInstance() && llvm::isa<clang::CXXOperatorCallExpr>(call))
    inner.object = call.getArg(first++);
  for (unsigned i = 0; i < definition->getNumParams() && first + i < call.getNumArgs(); ++i)
    inner.arguments[definition->getParamDecl(i)] = call.getArg(first + i);
  frames_.push_back(std::move(inner));
  return InFrame{result, &frames_.back()};
}

std::optional<InFrame> Kernel::argument(const clang::VarDecl &variable, const Frame &frame) {
  const auto *parameter = llvm::dyn_cast<clang::ParmVarDecl>(&variable);
  if (!parameter) return std::nullopt;
  for (const Frame *at = &frame; at; at = at->caller)
    if (const auto found = at->arguments.find(parameter); found != at->arguments.end())
      return InFrame{found->second, at->caller};
  return std::nullopt;
}

std::optional<InFrame> Kernel::value(const clang::VarDecl &variable, const clang::Expr &use, const Frame &frame) {
  if (!variable.isLocalVarDecl() || variable.isStaticLocal()) return std::nullopt;
  const Frame *owner = &frame;
  while (owner && owner->function != variable.getDeclContext()) owner = owner->caller;
  if (!owner) return std::nullopt;
  const clang::Expr *found = locals_of(*owner->function).value(variable, use, source);
  if (!found) return std::nullopt;
  return InFrame{found, owner};
}

const Locals &Kernel::locals_of(const clang::FunctionDecl &definition) {
  if (&definition == &function) return locals;
  auto &known = callee_locals_[&definition];
  if (!known) known = std::make_unique<Locals>(definition);
  return *known;
}

int Kernel::line(long offset) const {
  const std::string &text = model.closure.text;
  const long anchor = std::min(model.closure.anchor_offset, offset);
  const auto newlines =
      std::count(text.begin() + anchor, text.begin() + std::min<long>(offset, static_cast<long>(text.size())), '\n');
  return model.anchor.line + static_cast<int>(newlines);
}

void Kernel::note(clang::SourceLocation location, const std::string &text) {
  const Note found{model.file, line(source.offset(location)), text};
  const auto same = [&](const Note &known) { return known.line == found.line && known.text == found.text; };
  if (std::none_of(model.notes.begin(), model.notes.end(), same)) model.notes.push_back(found);
}

namespace {

clang::PrintingPolicy spelling(const clang::ASTContext &context) {
  clang::PrintingPolicy policy(context.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.FullyQualifiedName = true;
  return policy;
}

} // namespace

std::string Kernel::spelled(clang::QualType type) const {
  return type.getNonReferenceType().getCanonicalType().getUnqualifiedType().getAsString(spelling(context));
}

std::string Kernel::declarator(clang::QualType type, const std::string &name) const {
  std::string text = name;
  type.getCanonicalType().getAsStringInternal(text, spelling(context));
  return text;
}

} // namespace kopt::body
