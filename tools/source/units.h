// Unit: the smallest slice of a project file that can be kept by itself: what stands between two declarations at file or
// namespace scope. Declarations that share text are one unit: `int a, b;`, `typedef struct {...} Point;`, what one macro call
// makes, alternatives by #if.
#pragma once

#include "source/preprocessor.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclBase.h>

#include <map>
#include <string>
#include <vector>

namespace kopt {

struct Unit {
  Slice slice;
  std::vector<const clang::Decl *> declarations;
  const clang::DeclContext *context = nullptr; // the namespace or extern "C" block around it
};

class Units {
public:
  Units(clang::ASTContext &context, const ProjectFiles &project, const Preprocessing &record);

  [[nodiscard]] const std::vector<Unit> &all() const { return units_; }
  // The unit whose text holds the declaration; -1 if it lies outside the project's files.
  [[nodiscard]] int of(const clang::Decl *declaration) const;
  // The unit that a place lies in, also through an #include inside the unit; -1 if none.
  [[nodiscard]] int at(Place place) const;

private:
  void collect(const clang::DeclContext *scope);
  void add(const clang::Decl *declaration);
  void note_braces(const clang::Decl *scope, clang::SourceLocation closing);
  unsigned start_of(const Slice &slice) const;
  unsigned end_after(const clang::Decl *declaration, Place last) const;
  void widen_to_conditionals();
  void merge();
  void index();

  clang::ASTContext &context_;
  const clang::SourceManager &sources_;
  const ProjectFiles &project_;
  const Preprocessing &record_;
  std::vector<Unit> units_;
  std::map<clang::FileID, std::vector<unsigned>> borders_; // ends of what is no unit: directives, braces of namespaces
  std::map<const clang::Decl *, int> unit_of_;
};

} // namespace kopt
