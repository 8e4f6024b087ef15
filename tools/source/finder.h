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

// What stands after KERNELS: ns::foo, or ns::foo(int,float*) for one overload.
struct KernelName {
  std::string text;
  std::string qualified;                 // ns::foo
  std::optional<std::string> parameters; // int,float*

  static Result<KernelName> parse(const std::string &text);
  [[nodiscard]] std::string last() const; // foo
};

// Whether `word` occurs in the text as a whole identifier, followed by `(` where `called`.
[[nodiscard]] bool mentions(std::string_view text, std::string_view word, bool called = false);
// Whether the text seems to define a function of this name: `word (...) ... {`.
[[nodiscard]] bool seems_to_define(std::string_view text, std::string_view word);

// Sources of the spec that may define the kernel: those that seem to define it, else all that mention it.
[[nodiscard]] std::vector<std::string> sources_for(const Disk &disk, const Spec &spec, const KernelName &name);

// Definitions in one parsed source whose qualified name (and parameter list, if given) is the kernel's. Inline and unnamed
// namespaces may be left out.
[[nodiscard]] std::vector<const clang::FunctionDecl *> definitions_of(const clang::ASTContext &context,
                                                                      const ProjectFiles &project, const KernelName &name);

// Why KernelOpt cannot take this function as a kernel yet.
[[nodiscard]] Result<void> check_kind(const clang::FunctionDecl &kernel);

// The error for a name that no source defines, with similar names.
[[nodiscard]] Error unknown_kernel(const Disk &disk, const Spec &spec, const KernelName &name,
                                   const std::vector<std::string> &elsewhere);

// "heat::diffuse (/src/kernels.cpp:12)" for definitions with the same last component in other namespaces.
[[nodiscard]] std::vector<std::string> same_last_name(const clang::ASTContext &context, const ProjectFiles &project,
                                                      const KernelName &name);

} // namespace kopt
