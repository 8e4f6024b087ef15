#include "source/finder.h"

#include "source/names.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace kopt {
namespace {

using clang::CXXMethodDecl;
using clang::Decl;
using clang::DeclContext;
using clang::dyn_cast;
using clang::FunctionDecl;
using clang::isa;
using clang::NamespaceDecl;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string trimmed(const std::string &text) {
  const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

// Calls `seen` with the offset just after each whole occurrence of the word.
void for_each_mention(std::string_view text, std::string_view word, const std::function<void(std::size_t)> &seen) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]))) continue;
    seen(end);
  }
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

// The offset after the parenthesis that closes the one at `at`.
std::size_t skip_parentheses(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return at;
}

// All functions with a body at file, namespace or class scope of the project's files.
void for_each_definition(const DeclContext *scope, const ProjectFiles &project,
                         const std::function<void(const FunctionDecl *)> &seen) {
  for (const Decl *declaration : scope->decls()) {
    const auto &sources = declaration->getASTContext().getSourceManager();
    if (declaration->isImplicit() || !project.contains(place_of(sources, declaration->getBeginLoc()).file)) continue;
    if (const auto *made = dyn_cast<clang::TemplateDecl>(declaration)) declaration = made->getTemplatedDecl();
    if (!declaration) continue;
    if (const auto *function = dyn_cast<FunctionDecl>(declaration)) {
      if (function->doesThisDeclarationHaveABody()) seen(function);
    } else if (isa<NamespaceDecl, clang::LinkageSpecDecl, clang::CXXRecordDecl>(declaration)) {
      for_each_definition(Decl::castToDeclContext(declaration), project, seen);
    }
  }
}

// The function's name with and without inline namespaces.
std::set<std::string> spellings(const FunctionDecl &function) {
  std::set<std::string> all{function.getNameAsString()};
  for (const DeclContext *scope = function.getDeclContext(); scope; scope = scope->getParent()) {
    const auto *named = dyn_cast<clang::NamedDecl>(scope);
    if (!named || named->getNameAsString().empty()) continue;
    const auto *space = dyn_cast<NamespaceDecl>(scope);
    if (space && space->isAnonymousNamespace()) continue;
    std::set<std::string> longer = space && space->isInline() ? all : std::set<std::string>{};
    for (const std::string &name : all) longer.insert(named->getNameAsString() + "::" + name);
    all = std::move(longer);
  }
  return all;
}

struct NearName {
  unsigned distance;
  std::string text;
};

// Names called or defined in a text that differ from `word` in a few letters.
bool is_keyword(const std::string &word) {
  static const std::set<std::string> keywords = {"alignas", "catch",  "decltype", "for",    "if",   "noexcept",
                                                 "return",  "sizeof", "switch",   "typeid", "while"};
  return keywords.contains(word);
}

void near_names(std::string_view text, const std::string &file, const std::string &word,
                std::map<std::string, NearName> &found) {
  const unsigned most = std::max<unsigned>(1, static_cast<unsigned>(word.size()) / 3);
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') ++line;
    if (!is_word(text[at]) || (at > 0 && is_word(text[at - 1]))) continue;
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::size_t next = skip_space(text, end);
    const std::string name(text.substr(at, end - at));
    if (next < text.size() && text[next] == '(' && !is_keyword(name) && !found.contains(name)) {
      const unsigned distance = llvm::StringRef(word).edit_distance(name, true, most);
      if (distance <= most) found[name] = {distance, name + " (" + file + ":" + std::to_string(line) + ")"};
    }
    at = end - 1;
  }
}

} // namespace

Result<KernelName> KernelName::parse(const std::string &text) {
  KernelName name;
  name.text = text;
  std::string rest = trimmed(text);
  if (const auto open = rest.find('('); open != std::string::npos) {
    const auto close = rest.rfind(')');
    if (close == std::string::npos || close < open)
      return fail("not the name of a kernel: '" + text + "'", text, "write name or name(type,type)");
    name.parameters = rest.substr(open + 1, close - open - 1);
    rest = trimmed(rest.substr(0, open));
  }
  if (rest.find('<') != std::string::npos)
    return fail("kernels that are templates are not supported yet: '" + text + "'", text,
                "name an ordinary function that calls the template, or that has its code");
  name.qualified = rest.starts_with("::") ? rest.substr(2) : rest;
  const auto valid = [](char c) { return is_word(c) || c == ':'; };
  if (name.last().empty() || !std::all_of(name.qualified.begin(), name.qualified.end(), valid))
    return fail("not the name of a kernel: '" + text + "'", text, "write name, ns::name or name(type,type)");
  return name;
}

std::string KernelName::last() const {
  const auto colon = qualified.rfind(':');
  return colon == std::string::npos ? qualified : qualified.substr(colon + 1);
}

bool mentions(std::string_view text, std::string_view word, bool called) {
  bool found = false;
  for_each_mention(text, word, [&](std::size_t end) {
    const std::size_t next = skip_space(text, end);
    found = found || !called || (next < text.size() && text[next] == '(');
  });
  return found;
}

bool seems_to_define(std::string_view text, std::string_view word) {
  bool found = false;
  for_each_mention(text, word, [&](std::size_t end) {
    std::size_t at = skip_space(text, end);
    if (at >= text.size() || text[at] != '(') return;
    at = skip_parentheses(text, at);
    const std::size_t stop = text.find_first_of("{;=)", at);
    found = found || (stop != std::string_view::npos && text[stop] == '{');
  });
  return found;
}

std::vector<std::string> sources_for(const Disk &disk, const Spec &spec, const KernelName &name) {
  std::vector<std::string> defining, mentioning;
  for (const std::string &source : spec.sources) {
    const auto text = disk.read(source);
    if (!text || !mentions(*text, name.last())) continue;
    mentioning.push_back(source);
    if (seems_to_define(*text, name.last())) defining.push_back(source);
  }
  return defining.empty() ? mentioning : defining;
}

std::vector<const FunctionDecl *> definitions_of(const clang::ASTContext &context, const ProjectFiles &project,
                                                 const KernelName &name) {
  std::vector<const FunctionDecl *> found;
  for_each_definition(context.getTranslationUnitDecl(), project, [&](const FunctionDecl *function) {
    if (!function->getIdentifier() || function->getName() != name.last() || !spellings(*function).contains(name.qualified))
      return;
    if (!name.parameters || is_overload(*function, *name.parameters)) found.push_back(function);
  });
  return found;
}

std::vector<std::string> same_last_name(const clang::ASTContext &context, const ProjectFiles &project, const KernelName &name) {
  std::vector<std::string> found;
  for_each_definition(context.getTranslationUnitDecl(), project, [&](const FunctionDecl *function) {
    if (!function->getIdentifier() || function->getName() != name.last()) return;
    const std::string spelled = name.parameters ? overload_of(*function) : qualified_name(*function);
    found.push_back(spelled + " (" + where_of(context, function->getLocation()) + ")");
  });
  return found;
}

Result<void> check_kind(const FunctionDecl &kernel) {
  const auto &context = kernel.getASTContext();
  const auto &sources = context.getSourceManager();
  const std::string where = where_of(context, kernel.getLocation());
  const std::string name = qualified_name(kernel);
  const std::string free_function = "put the code in a free function in a source of the target and call it from here";
  const auto *method = dyn_cast<CXXMethodDecl>(&kernel);
  if (method && method->isVirtual())
    return fail(name + " is a virtual function, which cannot be a kernel yet", where, free_function);
  if (method) return fail(name + " is a member function, which cannot be a kernel yet", where, free_function);
  if (kernel.isTemplated() || kernel.isTemplateInstantiation())
    return fail(name + " is a function template, which cannot be a kernel yet", where,
                "name an ordinary function that calls it: the template becomes part of its closure");
  if (kernel.isVariadic())
    return fail(name + " takes a variable number of arguments (...), which a kernel cannot", where, free_function);
  if (kernel.isConstexpr() && !kernel.isConstexprSpecified()) return fail(name + " runs at compile time", where, free_function);
  if (place_of(sources, kernel.getLocation()).file != sources.getMainFileID())
    return fail(name + " is defined in a header, which cannot be replaced in one source yet", where,
                "define the kernel in a source of the target and leave its declaration in the header");
  for (const Decl *local : kernel.decls())
    if (const auto *variable = dyn_cast<clang::VarDecl>(local);
        variable && variable->isStaticLocal() && !variable->getType().isConstQualified())
      return fail(name + " keeps state in the static local variable '" + variable->getNameAsString() + "'",
                  where_of(context, variable->getLocation()), "move it out of the function, where it can be set and compared");
  return {};
}

Error unknown_kernel(const Disk &disk, const Spec &spec, const KernelName &name, const std::vector<std::string> &elsewhere) {
  std::vector<std::string> names = elsewhere;
  if (names.empty()) {
    std::map<std::string, NearName> found;
    for (const std::string &source : spec.sources)
      if (const auto text = disk.read(source)) near_names(*text, source, name.last(), found);
    std::vector<NearName> near;
    for (auto &[word, item] : found) near.push_back(std::move(item));
    std::stable_sort(near.begin(), near.end(), [](const NearName &a, const NearName &b) { return a.distance < b.distance; });
    for (std::size_t k = 0; k < std::min<std::size_t>(near.size(), 3); ++k) names.push_back(near[k].text);
  }
  Error error{"no source of target " + spec.target + " defines the kernel '" + name.text + "'", "", ""};
  for (const std::string &text : names) error.remedy += (error.remedy.empty() ? "did you mean " : " or ") + text;
  error.remedy += names.empty() ? "write its qualified name (ns::name) and see that its source belongs to the target" : "?";
  return error;
}

} // namespace kopt
