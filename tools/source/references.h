// References: every declaration that a declaration needs, as the AST knows them: named ones, and implied ones such as the
// constructor of a local variable, the record behind `auto`, or what a template's instantiation calls.
#pragma once

#include <clang/AST/DeclBase.h>

#include <functional>

namespace kopt {

using Found = std::function<void(const clang::Decl *)>;
using Sought = std::function<void(clang::DeclarationName)>;

// Calls `found` for each declaration that `declaration` refers to directly, itself included; some more than once. Calls
// `sought` for each name that a template looks up by its arguments once these are known: what was found then is not in the AST
// where it only decided something (a requirement, an enable_if).
void for_each_reference(const clang::Decl *declaration, const Found &found, const Sought &sought);

// The declaration as written: templates instead of their instantiations, the outermost class instead of its members, enums
// instead of their constants. Null for what has no text of its own (implicit and built-in functions, local declarations,
// parameters).
[[nodiscard]] const clang::Decl *written(const clang::Decl *declaration);

} // namespace kopt
