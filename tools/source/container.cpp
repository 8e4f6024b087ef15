#include "source/container.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <array>

namespace kopt {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;

std::optional<long> count_in(const clang::TemplateArgument &argument) {
  if (argument.getKind() != clang::TemplateArgument::Integral) return std::nullopt;
  const llvm::APSInt &value = argument.getAsIntegral();
  if (!value.isRepresentableByInt64() || value.isAllOnes()) return std::nullopt; // std::dynamic_extent
  return value.getExtValue();
}

ContainerCall::Kind kind_of(llvm::StringRef name) {
  if (name == "at" || name == "front") return ContainerCall::Kind::Element;
  if (name == "back") return ContainerCall::Kind::Last;
  if (name == "data") return ContainerCall::Kind::Data;
  if (name == "size") return ContainerCall::Kind::Size;
  return ContainerCall::Kind::Other;
}

// Members that are no const members but leave the elements where they are.
bool is_iterator(llvm::StringRef name) {
  constexpr std::array names{"begin", "end", "rbegin", "rend"};
  return std::any_of(names.begin(), names.end(), [&](const char *known) { return name == known; });
}

} // namespace

std::optional<Container> container_of(clang::QualType type) {
  type = type.getNonReferenceType();
  const auto *made = dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (!made || !made->isInStdNamespace()) return std::nullopt;
  const llvm::StringRef name = made->getName();
  const auto &arguments = made->getTemplateArgs();
  if (arguments.size() == 0 || arguments[0].getKind() != clang::TemplateArgument::Type) return std::nullopt;
  const clang::QualType element = arguments[0].getAsType();
  if (name == "vector") return Container{Container::Kind::Vector, element, std::nullopt};
  if (arguments.size() < 2) return std::nullopt;
  if (name == "span") return Container{Container::Kind::Span, element, count_in(arguments[1])};
  if (name == "array") return Container{Container::Kind::Array, element, count_in(arguments[1])};
  return std::nullopt;
}

std::optional<ContainerCall> container_call(const clang::CallExpr &call) {
  ContainerCall found;
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  if (!method || !method->isInstance()) return std::nullopt;
  if (const auto *member_call = dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    found.object = member_call->getImplicitObjectArgument();
    if (!method->getIdentifier()) return std::nullopt;
    found.kind = kind_of(method->getName());
    if (found.kind == ContainerCall::Kind::Element && call.getNumArgs() == 1) found.index = call.getArg(0);
  } else if (const auto *operation = dyn_cast<clang::CXXOperatorCallExpr>(&call);
             operation && operation->getOperator() == clang::OO_Subscript) {
    found.kind = ContainerCall::Kind::Element;
    found.object = call.getArg(0);
    found.index = call.getArg(1);
  }
  if (!found.object || found.object->getType()->isPointerType()) return std::nullopt;
  const auto container = container_of(found.object->getType());
  if (!container) return std::nullopt;
  found.container = *container;
  const bool keeps = found.kind != ContainerCall::Kind::Other || method->isConst() || is_iterator(method->getName());
  return keeps ? std::optional(found) : std::nullopt;
}

} // namespace kopt
