// Finder: the definition that a kernel's name means. Sources are filtered as text first, so that only those that can define it
// are parsed.
#pragma once

#include "core/disk.h"
#include "core/spec.h"
#include "source/preprocessor.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <optional>
#include <string>
#include <vector>

namespace kopt {

// What stands after KERNELS: ns::foo, foo(int,float*) for one overload, axpy<float,4> for one instantiation, and file.cpp:foo
// where two sources have one each. docs/kernels.md tells users.
struct KernelName {
  std::string text;
  std::string file;                                  // file.cpp, the end of a path; empty: any
  std::string qualified;                             // ns::foo
  std::optional<std::vector<std::string>> arguments; // float, 4
  std::optional<std::string> parameters;             // int,float*

  static Result<KernelName> parse(const std::string &text);
  [[nodiscard]] std::string last() const; // foo, operator()
  [[nodiscard]] std::string word() const; // foo, operator: what its definition's text holds
  // Whether the path is the file, or ends with it.
  [[nodiscard]] bool is_in(const std::string &path) const;
};

// Whether `word` occurs in the text as a whole identifier, followed by `(` where `called`.
[[nodiscard]] bool mentions(std::string_view text, std::string_view word, bool called = false);
[[nodiscard]] std::size_t mention_count(std::string_view text, std::string_view word);
// Whether the text seems to define a function of this name: `word (...) ... {`.
[[nodiscard]] bool seems_to_define(std::string_view text, std::string_view word);

// Sources of the spec that may hold the kernel: first those that seem to define it, then the others that mention it.
struct Candidates {
  std::vector<std::string> defining, mentioning;
};
[[nodiscard]] Candidates sources_for(const Disk &disk, const Spec &spec, const KernelName &name);

// What one parsed source has under a kernel's name (and with its arguments and parameter list, if given). Inline and unnamed
// namespaces may be left out, aliases of namespaces stand for them. A name without arguments means ordinary functions where
// there are any, else the instantiations of templates.
struct Definitions {
  std::vector<const clang::FunctionDecl *> found;
  std::vector<const clang::FunctionDecl *> templates; // of this name, with no instantiation as asked for
  std::vector<const clang::FunctionDecl *> others;    // their instantiations
};
[[nodiscard]] Definitions definitions_of(const clang::ASTContext &context, const ProjectFiles &project, const KernelName &name);

// Why KernelOpt cannot take this function as a kernel yet.
[[nodiscard]] Result<void> check_kind(const clang::FunctionDecl &kernel);

// The error for a name that no source defines, with similar names.
[[nodiscard]] Error unknown_kernel(const Disk &disk, const Spec &spec, const KernelName &name,
                                   const std::vector<std::string> &elsewhere);

// "heat::diffuse (/src/kernels.cpp:12)" for definitions with the same last component in other namespaces.
[[nodiscard]] std::vector<std::string> same_last_name(const clang::ASTContext &context, const ProjectFiles &project,
                                                      const KernelName &name);

} // namespace kopt
