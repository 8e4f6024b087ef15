// Names: declarations and types spelled so that the spelling compiles at the end of the closure.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/PrettyPrinter.h>

#include <string>

namespace kopt {

// Without what cannot be written: unnamed namespaces.
[[nodiscard]] clang::PrintingPolicy printing_policy(const clang::ASTContext &context);

[[nodiscard]] std::string qualified_name(const clang::NamedDecl &declaration);

// With all namespaces; typedef names stay.
[[nodiscard]] std::string qualified_type(const clang::ASTContext &context, clang::QualType type);

// "void heat::diffuse(const Grid &, double *)"
[[nodiscard]] std::string signature_of(const clang::FunctionDecl &function);

// "heat::diffuse(const heat::Grid&,double*)": what a user writes after KERNELS to mean this overload. A list of parameters
// compares equal when each agrees with the type as written, as defined or as canonical (source/spelling.h).
[[nodiscard]] std::string overload_of(const clang::FunctionDecl &function);
[[nodiscard]] bool is_overload(const clang::FunctionDecl &function, const std::string &parameters);

// "file:line" of a declaration, with an absolute path.
[[nodiscard]] std::string where_of(const clang::ASTContext &context, clang::SourceLocation location);

} // namespace kopt
