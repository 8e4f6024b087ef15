// Container: std::vector and std::span (and std::array, which is an array) as a kernel receives them. To a kernel they are a
// pointer, data(), and a number of elements, size(): what it may do is reach elements, not change which there are.
#pragma once

#include <clang/AST/Expr.h>
#include <clang/AST/Type.h>

#include <optional>

namespace clang {
class CallExpr;
} // namespace clang

namespace kopt {

struct Container {
  enum class Kind { Vector, Span, Array };
  Kind kind = Kind::Vector;
  clang::QualType element;
  std::optional<long> count; // where the type says it

  [[nodiscard]] const char *storage() const { return kind == Kind::Vector ? "vector" : "span"; } // as Leaf::storage
};

// Nothing for another type. References and qualifiers do not matter.
[[nodiscard]] std::optional<Container> container_of(clang::QualType type);

// A call that asks a container for something.
struct ContainerCall {
  enum class Kind { Element, Last, Data, Size, Other }; // Other: a const member, or an iterator
  Kind kind = Kind::Other;
  Container container;
  const clang::Expr *object = nullptr; // an lvalue; not a pointer to the container
  const clang::Expr *index = nullptr;  // of Element; null: the first
};

// Nothing for calls of anything else, and for calls that change a container's size.
[[nodiscard]] std::optional<ContainerCall> container_call(const clang::CallExpr &call);

} // namespace kopt
