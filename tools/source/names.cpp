#include "source/names.h"

#include "source/instantiation.h"
#include "source/spelling.h"

#include <clang/AST/QualTypeNames.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace kopt {
namespace {

// The types of a parameter list, one way of spelling them, with commas and nothing around.
template <typename Spell> std::string list(const clang::FunctionDecl &function, const Spell &spell) {
  std::string text;
  for (const clang::ParmVarDecl *parameter : function.parameters())
    text += (text.empty() ? "" : ",") + spell(parameter->getType());
  return text;
}

} // namespace

clang::PrintingPolicy printing_policy(const clang::ASTContext &context) {
  clang::PrintingPolicy policy(context.getLangOpts());
  policy.SuppressUnwrittenScope = true;
  policy.Bool = true;
  return policy;
}

std::string qualified_name(const clang::NamedDecl &declaration) {
  std::string text;
  llvm::raw_string_ostream out(text);
  declaration.printQualifiedName(out, printing_policy(declaration.getASTContext()));
  return text;
}

std::string qualified_type(const clang::ASTContext &context, clang::QualType type) {
  return clang::TypeName::getFullyQualifiedName(type, context, printing_policy(context));
}

std::string signature_of(const clang::FunctionDecl &function) {
  const auto policy = printing_policy(function.getASTContext());
  std::string text;
  for (const clang::ParmVarDecl *parameter : function.parameters())
    text += (text.empty() ? "" : ", ") + parameter->getType().getAsString(policy);
  return function.getReturnType().getAsString(policy) + " " + qualified_name(function) + "(" + text + ")";
}

std::string overload_of(const clang::FunctionDecl &function) {
  const auto &context = function.getASTContext();
  return qualified_name(function) + arguments_text(function) + "(" +
         list(function,
              [&](clang::QualType type) {
                std::string text = qualified_type(context, type);
                for (const char *tail : {" *", " &"})
                  for (std::size_t at = text.find(tail); at != std::string::npos; at = text.find(tail)) text.erase(at, 1);
                return text;
              }) +
         ")";
}

bool is_overload(const clang::FunctionDecl &function, const std::string &parameters) {
  const auto &context = function.getASTContext();
  const auto policy = printing_policy(context);
  const auto asked = split_list(parameters);
  if (asked.size() != function.getNumParams()) return false;
  for (unsigned k = 0; k < function.getNumParams(); ++k) {
    const clang::QualType type = function.getParamDecl(k)->getType();
    const clang::QualType written = function.getParamDecl(k)->getOriginalType(); // double[4] where the type is double *
    if (!same_type(asked[k], type.getAsString(policy)) && !same_type(asked[k], qualified_type(context, type)) &&
        !same_type(asked[k], type.getCanonicalType().getAsString(policy)) &&
        !same_type(asked[k], type.getSingleStepDesugaredType(context).getAsString(policy)) &&
        !same_type(asked[k], written.getAsString(policy)))
      return false;
  }
  return true;
}

std::string where_of(const clang::ASTContext &context, clang::SourceLocation location) {
  const auto &sources = context.getSourceManager();
  const auto place = sources.getPresumedLoc(sources.getExpansionLoc(location));
  if (place.isInvalid()) return {};
  llvm::SmallString<256> path(place.getFilename());
  sources.getFileManager().makeAbsolutePath(path);
  llvm::sys::path::remove_dots(path, true);
  return path.str().str() + ":" + std::to_string(place.getLine());
}

} // namespace kopt
