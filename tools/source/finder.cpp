#include "source/finder.h"

#include "source/instantiation.h"
#include "source/members.h"
#include "source/names.h"
#include "source/spelling.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace kopt {
namespace {

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

// Names that a namespace alias gives another spelling: {"h::f", "heat::f"} for `namespace h = heat;`.
std::set<std::string> without_aliases(const DeclContext *scope, const ProjectFiles &project, const std::string &qualified) {
  std::set<std::string> all{qualified};
  for (const Decl *declaration : scope->decls()) {
    const auto &sources = declaration->getASTContext().getSourceManager();
    if (declaration->isImplicit() || !project.contains(place_of(sources, declaration->getBeginLoc()).file)) continue;
    if (const auto *alias = dyn_cast<clang::NamespaceAliasDecl>(declaration)) {
      const std::string start = qualified_name(*alias) + "::";
      if (qualified.starts_with(start))
        all.insert(qualified_name(*alias->getNamespace()) + "::" + qualified.substr(start.size()));
    } else if (const auto *space = dyn_cast<NamespaceDecl>(declaration)) {
      all.merge(without_aliases(space, project, qualified));
    }
  }
  return all;
}

// The functions that a template was instantiated to here.
std::vector<const FunctionDecl *> instantiations_of(const FunctionDecl &pattern) {
  std::vector<const FunctionDecl *> found;
  const auto *made = pattern.getDescribedFunctionTemplate();
  if (!made) return found;
  for (const FunctionDecl *function : made->specializations())
    if (is_instantiation(*function) && function->getDefinition() && !function->getDefinition()->isTemplated())
      found.push_back(function->getDefinition());
  return found;
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

namespace {

// Takes `file.cpp:` off the front: up to the last `:` that is not part of a `::`, ahead of all brackets.
std::string take_file(std::string &rest) {
  std::size_t separator = std::string::npos;
  for (std::size_t at = 0; at < rest.size() && rest[at] != '<' && rest[at] != '('; ++at) {
    if (rest[at] != ':') continue;
    const std::size_t end = std::min(rest.find_first_not_of(':', at), rest.size());
    if ((end - at) % 2 == 1) separator = at;
    at = end - 1;
  }
  if (separator == std::string::npos) return {};
  const std::string file = trimmed(rest.substr(0, separator));
  rest = trimmed(rest.substr(separator + 1));
  return file.starts_with("./") ? file.substr(2) : file;
}

// Takes a bracketed end off: `<float,4>`, `(int)`. Nothing if `rest` does not end with one; an unbalanced one stays.
std::optional<std::string> take_group(std::string &rest, char opening, char closing) {
  if (!rest.ends_with(closing)) return std::nullopt;
  int depth = 0;
  for (std::size_t at = rest.size(); at-- > 0;) {
    if (rest[at] == closing) ++depth;
    if (rest[at] != opening || --depth > 0) continue;
    const std::string inside = rest.substr(at + 1, rest.size() - at - 2);
    rest = trimmed(rest.substr(0, at));
    return inside;
  }
  return std::nullopt;
}

} // namespace

Result<KernelName> KernelName::parse(const std::string &text) {
  const std::string remedy = "write name, ns::name, name(type,type), name<argument> or file.cpp:name";
  KernelName name;
  name.text = text;
  std::string rest = trimmed(text);
  name.file = take_file(rest);
  const std::string call_operator = "operator()";
  name.parameters = take_group(rest, '(', ')');
  if (name.parameters && rest.ends_with("operator")) { // that was its name
    rest += "()";
    name.parameters.reset();
  }
  if (const auto arguments = take_group(rest, '<', '>')) name.arguments = split_list(*arguments);
  name.qualified = rest.starts_with("::") ? rest.substr(2) : rest;
  std::string plain = name.qualified;
  if (plain.ends_with(call_operator)) plain.resize(plain.size() - 2);
  const auto valid = [](char c) { return is_word(c) || c == ':'; };
  if (plain.find('<') != std::string::npos)
    return fail("kernels that are members of class templates are not supported: '" + text + "'", text,
                "name a function template, or an ordinary function that calls the member");
  if (name.last().empty() || !std::all_of(plain.begin(), plain.end(), valid))
    return fail("not the name of a kernel: '" + text + "'", text, remedy);
  return name;
}

std::string KernelName::last() const {
  const auto colon = qualified.rfind(':');
  return colon == std::string::npos ? qualified : qualified.substr(colon + 1);
}

std::string KernelName::word() const {
  const std::string name = last();
  return name.substr(0, name.find('('));
}

bool KernelName::is_in(const std::string &path) const { return file.empty() || path == file || path.ends_with("/" + file); }

bool mentions(std::string_view text, std::string_view word, bool called) {
  bool found = false;
  for_each_mention(text, word, [&](std::size_t end) {
    const std::size_t next = skip_space(text, end);
    found = found || !called || (next < text.size() && text[next] == '(');
  });
  return found;
}

std::size_t mention_count(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for_each_mention(text, word, [&](std::size_t) { ++count; });
  return count;
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

Candidates sources_for(const Disk &disk, const Spec &spec, const KernelName &name) {
  Candidates candidates;
  // A file that is no source may be a header that any source includes.
  const bool named = std::any_of(spec.sources.begin(), spec.sources.end(), [&](const auto &path) { return name.is_in(path); });
  for (const std::string &source : spec.sources) {
    if (named && !name.is_in(source)) continue;
    const auto text = disk.read(source);
    if (!text || !mentions(*text, name.word())) continue;
    // An instantiation need not be where the template is defined.
    const bool defines = !name.arguments && seems_to_define(*text, name.word());
    (defines ? candidates.defining : candidates.mentioning).push_back(source);
  }
  return candidates;
}

Definitions definitions_of(const clang::ASTContext &context, const ProjectFiles &project, const KernelName &name) {
  Definitions definitions;
  const auto names = without_aliases(context.getTranslationUnitDecl(), project, name.qualified);
  std::vector<const FunctionDecl *> made;
  const auto is_wanted = [&](const FunctionDecl &function) {
    return (!name.parameters || is_overload(function, *name.parameters)) &&
           (!name.arguments || has_arguments(function, *name.arguments));
  };
  for_each_definition(context.getTranslationUnitDecl(), project, [&](const FunctionDecl *function) {
    if (function->getNameAsString() != name.last()) return;
    const std::set<std::string> spelled = spellings(*function);
    if (std::none_of(names.begin(), names.end(), [&](const std::string &one) { return spelled.contains(one); })) return;
    if (!name.is_in(project.path(place_of(context.getSourceManager(), function->getLocation()).file))) return;
    if (!function->getDescribedFunctionTemplate()) {
      if (is_wanted(*function)) definitions.found.push_back(function);
      return;
    }
    const auto all = instantiations_of(*function);
    const auto wanted = std::count_if(all.begin(), all.end(), [&](const auto *one) { return is_wanted(*one); });
    std::copy_if(all.begin(), all.end(), std::back_inserter(made), [&](const auto *one) { return is_wanted(*one); });
    if (wanted > 0) return;
    definitions.templates.push_back(function);
    definitions.others.insert(definitions.others.end(), all.begin(), all.end());
  });
  if (definitions.found.empty() || name.arguments) definitions.found.insert(definitions.found.end(), made.begin(), made.end());
  return definitions;
}

std::vector<std::string> same_last_name(const clang::ASTContext &context, const ProjectFiles &project, const KernelName &name) {
  std::vector<std::string> found;
  for_each_definition(context.getTranslationUnitDecl(), project, [&](const FunctionDecl *function) {
    if (function->getNameAsString() != name.last()) return;
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
  KOPT_CHECK(check_member(kernel));
  if (kernel.isVariadic())
    return fail(name + " takes a variable number of arguments (...), which a kernel cannot", where, free_function);
  if (kernel.isConstexpr() && !kernel.isConstexprSpecified()) return fail(name + " runs at compile time", where, free_function);
  if (const auto file = place_of(sources, kernel.getLocation()).file; file != sources.getMainFileID()) {
    const auto above = included_at(sources, file);
    if (above && above->file != sources.getMainFileID())
      return fail(name + " is defined in a header that this source reaches through another header first",
                  where_of(context, sources.getIncludeLoc(file)),
                  "include it in a source of the target itself, ahead of the other headers, or define the kernel in a source");
  }
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
      if (const auto text = disk.read(source)) near_names(*text, source, name.word(), found);
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
