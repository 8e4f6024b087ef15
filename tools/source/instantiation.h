// Instantiation: what a function template is instantiated with. A kernel may be one instantiation; its model is made from its
// types, and the variant sees the template's parameters as names of these types and values.
#pragma once

#include "core/model.h"

#include <clang/AST/Decl.h>

#include <string>
#include <vector>

namespace kopt {

// "<float, 4>"; nothing for an ordinary function.
[[nodiscard]] std::string arguments_text(const clang::FunctionDecl &function);

// Whether the function's template arguments begin with those asked for (the others are deduced or defaults).
[[nodiscard]] bool has_arguments(const clang::FunctionDecl &function, const std::vector<std::string> &asked);

// Whether the function's text is a template's, so that it is shared with other instantiations. An explicit specialization has
// its own.
[[nodiscard]] bool is_instantiation(const clang::FunctionDecl &function);

// By the template's parameters. An Error where a variant ahead of the template could not be written with them: packs,
// parameters without a name, types that are declared later or have no name.
[[nodiscard]] Result<std::vector<TemplateArgument>> template_arguments_of(const clang::FunctionDecl &kernel);

// The types that are named by the arguments: the closure needs them where they are not in the kernel's text.
[[nodiscard]] std::vector<const clang::Decl *> declarations_in_arguments(const clang::FunctionDecl &kernel);

} // namespace kopt
