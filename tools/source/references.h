// References: every declaration that a declaration needs, as the AST knows them: named ones, and implied ones such as the
// constructor of a local variable, the record behind `auto`, or what a template's instantiation calls.
#pragma once

#include <clang/AST/DeclBase.h>

#include <functional>

namespace kopt {

using Found = std::function<void(const clang::Decl *)>;

// Calls `found` for each declaration that `declaration` refers to directly, itself included; some more than once.
void for_each_reference(const clang::Decl *declaration, const Found &found);

// The declaration as written: templates instead of their instantiations, the outermost class instead of its members, enums
// instead of their constants. Null for what has no text of its own (implicit and built-in functions, local declarations,
// parameters).
[[nodiscard]] const clang::Decl *written(const clang::Decl *declaration);

} // namespace kopt
