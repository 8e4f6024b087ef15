// Closure: which units, macros, includes and pragmas of the project's files a kernel needs, found from its declaration on until
// nothing is added.
#pragma once

#include "source/preprocessor.h"
#include "source/units.h"

#include <clang/AST/Decl.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kopt {

// One source as parsed: what the search for closures works on. Valid while the compiler is alive.
struct ParsedSource {
  clang::ASTContext &context;
  const ProjectFiles &project;
  const Preprocessing &record;
  const Units &units;
};

class ClosureSearch {
public:
  ClosureSearch(const ParsedSource &source, const clang::FunctionDecl &kernel);

  // What is needed, by index into the lists of ParsedSource.
  [[nodiscard]] const std::set<int> &units() const { return units_; }
  [[nodiscard]] const std::set<int> &macros() const { return macros_; }
  [[nodiscard]] const std::set<int> &inclusions() const { return inclusions_; }
  // Names of command-line macros that the closure uses.
  [[nodiscard]] const std::set<std::string> &command_line_macros() const { return command_line_; }
  // Namespaces that must exist before a unit though nothing in the closure may have opened them yet (using namespace ...).
  [[nodiscard]] const std::map<int, std::set<const clang::NamespaceDecl *>> &opened_before() const { return opened_before_; }
  // Variables without a definition in this source.
  [[nodiscard]] const std::set<const clang::VarDecl *> &undefined_variables() const { return undefined_variables_; }

  // Conditionals around a place, from the outside in, also those around the #include of its file. Include guards are left out.
  [[nodiscard]] std::vector<const Conditional *> conditionals_around(Place place) const;

private:
  void need(const clang::Decl *declaration, int from);
  void need_from_system(const clang::Decl *declaration);
  void need_namespaces(const clang::Decl *declaration);
  void need_text_of(const clang::Decl *declaration);
  void need_specializations(const clang::Decl *declaration);
  void want_unit(int unit);
  void want_macro(const MacroUse &use);
  void want_inclusion(Place place);
  void want_surroundings(Place place);
  void walk(const clang::Decl *declaration, int from);
  void index_units();
  void index_specialization(const clang::Decl *declaration, int unit);
  bool want_using_directives();
  bool want_sought_functions();

  const ParsedSource source_;
  const clang::SourceManager &sources_;
  std::set<int> units_, macros_, inclusions_;
  std::set<std::string> command_line_;
  std::map<int, std::set<const clang::NamespaceDecl *>> opened_before_;
  std::set<const clang::VarDecl *> undefined_variables_;
  std::set<const clang::Decl *> needed_, walked_;
  std::set<const clang::NamespaceDecl *> namespaces_;
  std::set<const Conditional *> conditionals_;
  std::vector<int> fresh_units_;
  std::vector<std::pair<const clang::Decl *, int>> fresh_;
  std::map<int, std::vector<const MacroUse *>> uses_of_unit_;
  std::map<int, std::vector<int>> library_specializations_of_unit_; // std::tuple_size<Pair>, for the unit of Pair
  std::map<clang::DeclarationName, std::vector<std::pair<const clang::FunctionDecl *, int>>> functions_of_name_;
  std::set<clang::DeclarationName> sought_;
  std::vector<const MacroUse *> uses_elsewhere_; // in project files, in no unit: conditions of directives
  std::map<const clang::MacroInfo *, int> line_of_;
};

} // namespace kopt
