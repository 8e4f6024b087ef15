#include "source/instantiation.h"

#include "source/names.h"
#include "source/spelling.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/raw_ostream.h>

#include <functional>

namespace kopt {
namespace {

using clang::FunctionDecl;
using Argument = clang::TemplateArgument;

std::vector<Argument> flat(llvm::ArrayRef<Argument> arguments) {
  std::vector<Argument> all;
  for (const Argument &argument : arguments) {
    if (argument.getKind() == Argument::Pack)
      all.insert(all.end(), argument.pack_begin(), argument.pack_end());
    else
      all.push_back(argument);
  }
  return all;
}

std::vector<Argument> arguments_of(const FunctionDecl &function) {
  const auto *arguments = function.getTemplateSpecializationArgs();
  return arguments ? flat(arguments->asArray()) : std::vector<Argument>{};
}

std::string text_of(const clang::ASTContext &context, const Argument &argument) {
  if (argument.getKind() == Argument::Type) return qualified_type(context, argument.getAsType());
  if (argument.getKind() == Argument::Integral && argument.getIntegralType()->isEnumeralType())
    return "static_cast<" + qualified_type(context, argument.getIntegralType()) + ">(" +
           llvm::toString(argument.getAsIntegral(), 10) + ")";
  std::string text;
  llvm::raw_string_ostream out(text);
  argument.print(printing_policy(context), out, true);
  return text;
}

// As a user may write it: an enumerator by its name.
std::vector<std::string> spellings(const clang::ASTContext &context, const Argument &argument) {
  std::vector<std::string> all{text_of(context, argument)};
  std::string printed;
  llvm::raw_string_ostream out(printed);
  argument.print(printing_policy(context), out, false);
  all.push_back(printed);
  if (argument.getKind() == Argument::Type) {
    all.push_back(argument.getAsType().getAsString(printing_policy(context)));
    all.push_back(argument.getAsType().getCanonicalType().getAsString(printing_policy(context)));
  }
  return all;
}

// The type that a name such as ns::real stands for, seen from the function; null if it is none.
clang::QualType typedef_type(const FunctionDecl &function, const std::string &name) {
  auto &context = function.getASTContext();
  for (const clang::DeclContext *from = function.getDeclContext(); from; from = from->getParent()) {
    const clang::DeclContext *scope = from;
    for (std::size_t begin = 0; scope && begin < name.size();) {
      const std::size_t end = std::min(name.find("::", begin), name.size());
      const auto found = scope->lookup(&context.Idents.get(name.substr(begin, end - begin)));
      scope = nullptr;
      for (const clang::NamedDecl *declaration : found) {
        if (const auto *made = clang::dyn_cast<clang::TypedefNameDecl>(declaration); made && end == name.size())
          return made->getUnderlyingType();
        if (const auto *inner = clang::dyn_cast<clang::DeclContext>(declaration)) scope = inner;
      }
      begin = end + 2;
    }
  }
  return {};
}

// Calls `seen` for each declared type in a type: of pointers, arrays, and template arguments.
void for_each_tag(clang::QualType type, const std::function<void(const clang::TagDecl *)> &seen) {
  type = type.getCanonicalType();
  while (type->isAnyPointerType() || type->isReferenceType()) type = type->getPointeeType();
  if (const auto *array = type->getAsArrayTypeUnsafe()) return for_each_tag(array->getElementType(), seen);
  const clang::TagDecl *tag = type->getAsTagDecl();
  if (!tag) return;
  seen(tag);
  if (const auto *made = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(tag))
    for (const Argument &argument : flat(made->getTemplateArgs().asArray()))
      if (argument.getKind() == Argument::Type) for_each_tag(argument.getAsType(), seen);
}

clang::QualType type_in(const Argument &argument) {
  if (argument.getKind() == Argument::Type) return argument.getAsType();
  if (argument.getKind() == Argument::Integral) return argument.getIntegralType();
  return {};
}

// Why a variant ahead of the template cannot name this type; empty where it can.
std::string unnameable(const FunctionDecl &kernel, clang::QualType type) {
  const auto &context = kernel.getASTContext();
  std::string why;
  for_each_tag(type, [&](const clang::TagDecl *tag) {
    const std::string name = qualified_name(*tag);
    const FunctionDecl *pattern = kernel.getTemplateInstantiationPattern();
    const bool later =
        pattern && context.getSourceManager().isBeforeInTranslationUnit(pattern->getLocation(), tag->getLocation());
    if (!tag->getIdentifier() && !tag->getTypedefNameForAnonDecl())
      why = "of a type without a name";
    else if (tag->getParentFunctionOrMethod())
      why = "of " + name + ", a type that is local to a function";
    else if (later)
      why = "of " + name + ", which is declared after the template (" + where_of(context, tag->getLocation()) + ")";
  });
  return why;
}

} // namespace

std::string arguments_text(const FunctionDecl &function) {
  std::string text;
  for (const Argument &argument : arguments_of(function)) {
    std::string one;
    llvm::raw_string_ostream out(one);
    if (argument.getKind() == Argument::Type)
      one = qualified_type(function.getASTContext(), argument.getAsType());
    else
      argument.print(printing_policy(function.getASTContext()), out, false);
    text += (text.empty() ? "" : ", ") + one;
  }
  return text.empty() ? "" : "<" + text + ">";
}

bool has_arguments(const FunctionDecl &function, const std::vector<std::string> &asked) {
  const auto arguments = arguments_of(function);
  if (asked.size() > arguments.size()) return false;
  for (std::size_t k = 0; k < asked.size(); ++k) {
    bool same = false;
    for (const std::string &spelled : spellings(function.getASTContext(), arguments[k]))
      same = same || same_argument(asked[k], spelled);
    if (same) continue;
    if (arguments[k].getKind() != Argument::Type) return false;
    const clang::QualType meant = typedef_type(function, asked[k]);
    if (meant.isNull() || meant.getCanonicalType() != arguments[k].getAsType().getCanonicalType()) return false;
  }
  return true;
}

bool is_instantiation(const FunctionDecl &function) {
  return function.getPrimaryTemplate() && function.getTemplateSpecializationKind() != clang::TSK_ExplicitSpecialization;
}

Result<std::vector<TemplateArgument>> template_arguments_of(const FunctionDecl &kernel) {
  std::vector<TemplateArgument> described;
  if (!is_instantiation(kernel)) return described;
  const auto &context = kernel.getASTContext();
  const std::string name = qualified_name(kernel) + arguments_text(kernel);
  const std::string where = where_of(context, kernel.getLocation());
  const std::string remedy = "name an ordinary function that calls it: the template becomes part of its closure";
  if (kernel.getPrimaryTemplate()->getTemplatedDecl()->getReturnType()->getContainedDeducedType())
    return fail(
        name + " has a return type that is deduced, so that its other instantiations could not be compiled with a dispatch",
        where, "write the return type");
  const auto *parameters = kernel.getPrimaryTemplate()->getTemplateParameters();
  const auto arguments = kernel.getTemplateSpecializationArgs()->asArray();
  for (unsigned k = 0; k < parameters->size(); ++k) {
    const clang::NamedDecl *parameter = parameters->getParam(k);
    const auto *type = clang::dyn_cast<clang::TemplateTypeParmDecl>(parameter);
    const auto *value = clang::dyn_cast<clang::NonTypeTemplateParmDecl>(parameter);
    if (parameter->isParameterPack() || (!type && !value))
      return fail(name + " has a template parameter '" + parameter->getNameAsString() +
                      "' that is a pack or a template, which a kernel's cannot be yet",
                  where, remedy);
    if (parameter->isImplicit())
      return fail(name + " has parameters of type auto", where, "write template <typename T> for them");
    if (!parameter->getIdentifier()) {
      if (type ? type->hasDefaultArgument() : value->hasDefaultArgument()) continue; // follows from the others
      return fail(name + " has a template parameter without a name", where, "give it a name");
    }
    const bool integral = arguments[k].getKind() == Argument::Integral;
    if (arguments[k].getKind() != Argument::Type && !integral)
      return fail(name + " has a template argument that is neither a type nor a number", where, remedy);
    if (const std::string why = unnameable(kernel, type_in(arguments[k])); !why.empty())
      return fail(name + " cannot have a variant ahead of its template: '" + parameter->getNameAsString() + "' is " + why,
                  where, "declare that type ahead of the template, or " + remedy);
    described.push_back({parameter->getNameAsString(), type ? "type" : "value",
                         integral ? qualified_type(context, arguments[k].getIntegralType()) : "",
                         text_of(context, arguments[k])});
  }
  return described;
}

std::vector<const clang::Decl *> declarations_in_arguments(const FunctionDecl &kernel) {
  std::vector<const clang::Decl *> found;
  for (const Argument &argument : arguments_of(kernel))
    if (const clang::QualType type = type_in(argument); !type.isNull()) {
      if (const auto *named = type->getAs<clang::TypedefType>()) found.push_back(named->getDecl());
      for_each_tag(type, [&](const clang::TagDecl *tag) { found.push_back(tag); });
    }
  return found;
}

} // namespace kopt
