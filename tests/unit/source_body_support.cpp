#include "source_body_support.h"

#include "core/hash.h"
#include "core/slug.h"
#include "source/body.h"
#include "source/leaves.h"
#include "source/parse.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>
#include <gtest/gtest.h>

namespace kopt::fixture {

namespace {

struct Declarations {
  const clang::FunctionDecl *kernel = nullptr; // the last one that is defined
  std::vector<const clang::VarDecl *> globals; // that may change
  std::vector<std::string> namespaces;         // of the kernel
};

void find(const clang::DeclContext &context, const clang::SourceManager &sources, std::vector<std::string> &namespaces,
          Declarations &found) {
  for (const clang::Decl *declaration : context.decls()) {
    if (!sources.isInMainFile(declaration->getLocation())) continue;
    if (const auto *inner = llvm::dyn_cast<clang::NamespaceDecl>(declaration)) {
      namespaces.push_back(inner->getNameAsString());
      find(*inner, sources, namespaces, found);
      namespaces.pop_back();
    } else if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
      if (function->doesThisDeclarationHaveABody()) found.kernel = function, found.namespaces = namespaces;
    } else if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
      if (!variable->getASTContext().getBaseElementType(variable->getType()).isConstQualified())
        found.globals.push_back(variable);
    }
  }
}

void describe(const Declarations &found, const clang::SourceManager &sources, const std::string &code, const std::string &name,
              Model &model) {
  const auto offset = [&](clang::SourceLocation location) { return static_cast<long>(sources.getFileOffset(location)); };
  const clang::FunctionDecl &kernel = *found.kernel;
  model.name = kernel.getQualifiedNameAsString();
  model.slug = slug_of(model.name);
  model.target = "models";
  model.file = "/src/" + name + ".cpp";
  model.signature = kernel.getReturnType().getAsString() + " " + model.name;
  model.return_type = kernel.getReturnType().getAsString();
  model.linkage = kernel.isExternallyVisible() ? "external" : "internal";
  model.namespaces = found.namespaces;
  model.compile.compiler = "/usr/bin/c++";
  model.compile.directory = "/build";
  model.compile.arguments = {"-O3"};
  model.closure.text = code;
  model.closure.anchor_offset = offset(kernel.getBeginLoc());
  model.closure.anchor_length = offset(kernel.getBody()->getBeginLoc()) + 1 - model.closure.anchor_offset;
  model.closure.kernel_end = offset(kernel.getBody()->getEndLoc()) + 1;
  model.line = static_cast<int>(sources.getSpellingLineNumber(kernel.getBeginLoc()));
  model.column = 1;
  const std::string anchor =
      code.substr(static_cast<size_t>(model.closure.anchor_offset), static_cast<size_t>(model.closure.anchor_length));
  model.anchor = {model.file, model.closure.anchor_offset, model.closure.anchor_length, model.line, hash_of(anchor), anchor};
  model.closure.files = {{model.file, hash_of(code)}};
}

std::string subscripts_text(const std::vector<std::optional<Polynomial>> &subscripts) {
  std::string text;
  for (const auto &subscript : subscripts) text += "[" + (subscript ? subscript->text() : "?") + "]";
  return text;
}

std::string effects(const Node &node) {
  std::string text;
  const auto add = [&](const std::string &one) { text += (text.empty() ? "" : "; ") + one; };
  if (node.declares) add("declare " + node.declares->name + (node.declares->substituted ? " (substituted)" : ""));
  for (const Access &access : node.accesses) add(text_of(access));
  for (const ScalarUse &use : node.scalars) add(use.kind + " " + use.name);
  for (const std::string &call : node.calls) add("call " + call);
  if (node.reduction)
    add("reduce " + node.reduction->op +
        (node.reduction->access >= 0 ? " @" + std::to_string(node.reduction->access) : " " + node.reduction->scalar));
  return text;
}

std::string bound_text(const Bound &bound) { return bound.polynomial ? bound.polynomial->text() : "?"; }

std::string condition_text(const std::optional<std::vector<Polynomial>> &constraints) {
  if (!constraints) return "?";
  std::string text;
  for (const Polynomial &polynomial : *constraints) text += (text.empty() ? "" : " and ") + polynomial.text() + " >= 0";
  return text;
}

void add_outline(const std::vector<Node> &nodes, const std::string &indent, std::string &text) {
  for (const Node &node : nodes) {
    const std::string more = effects(node);
    switch (node.kind) {
    case Node::Kind::Loop:
      text += indent + "for " + node.variable + " in [" + bound_text(node.lower) + ", " + bound_text(node.upper) + ")";
      if (node.step != 1) text += " step " + std::to_string(node.step);
      if (node.reverse) text += " reverse";
      break;
    case Node::Kind::If:
      text += indent + "if " + condition_text(node.constraints);
      break;
    case Node::Kind::Statement:
      text += indent + more + "\n";
      continue;
    case Node::Kind::Opaque:
      text += indent + "opaque: " + node.reason + "\n";
      continue;
    }
    text += (more.empty() ? "" : ": " + more) + "\n";
    add_outline(node.body, indent + "  ", text);
    if (node.otherwise.empty()) continue;
    text += indent + "else\n";
    add_outline(node.otherwise, indent + "  ", text);
  }
}

} // namespace

Model model_of(const std::string &code, const std::string &name) {
  CompileCommand command;
  command.directory = "/";
  command.clang_arguments = {"-std=c++20"};
  Model model;
  auto parsed = parse_text(code, name + ".cpp", command, {});
  if (!parsed || !parsed->complaints.empty()) {
    ADD_FAILURE() << (parsed ? parsed->complaints.front().text : parsed.error().message()) << "\n" << code;
    return model;
  }
  clang::ASTContext &context = parsed->unit->getASTContext();
  Declarations found;
  std::vector<std::string> namespaces;
  find(*context.getTranslationUnitDecl(), context.getSourceManager(), namespaces, found);
  describe(found, context.getSourceManager(), code, name, model);
  auto convention = convention_of(context, *found.kernel, found.globals);
  if (!convention) {
    ADD_FAILURE() << convention.error().message();
    return model;
  }
  model.parameters = std::move(convention->parameters);
  model.leaves = std::move(convention->leaves);
  build_body(context, *found.kernel, model);
  return model;
}

std::string text_of(const Access &access) {
  const std::string object = !access.leaf.empty() ? access.leaf : !access.local.empty() ? "local " + access.local : "unknown";
  return access.kind + " " + object + subscripts_text(access.subscripts);
}

std::string outline(const Model &model) {
  std::string text;
  add_outline(model.body, "", text);
  return text;
}

} // namespace kopt::fixture
