// Place: which object an lvalue denotes, and which element of it.
#pragma once

#include "source/body_affine.h"

namespace kopt::body {

struct Place {
  enum class Kind {
    Value,    // an unchanging scalar: a leaf, a constant, something inside a helper; reading it is no access
    Local,    // a scalar (or struct) variable of the kernel
    Element,  // of a leaf or of a local array
    Constant, // of a constant global
    Unknown
  };
  Kind kind = Kind::Unknown;
  const clang::VarDecl *variable = nullptr; // Local, and local arrays
  std::string leaf, local;                  // Element
  std::vector<std::optional<Polynomial>> subscripts;
  std::vector<Polynomial> candidates; // values that a single null subscript may have
  std::string why;                    // for a subscript that is not a polynomial, or for Unknown
  const clang::Expr *hole = nullptr;  // the expression that is the element itself: for `p[i].x` that is `p[i]`
  bool partial = false;               // only a member of the element
  bool arrow = false;                 // `p->x`: the hole is what stands before `x`

  [[nodiscard]] bool is_known() const; // object and all subscripts
};

// What a pointer points at: `subscripts` in the outer dimensions, then `offset` in the innermost one reached so far.
struct Pointer {
  bool known = false;
  bool constant = false; // points into a constant global
  const clang::VarDecl *variable = nullptr;
  std::string leaf, local;
  std::vector<std::optional<Polynomial>> subscripts;
  std::optional<Polynomial> offset;
  std::string why;
};

[[nodiscard]] Place place_of(Kernel &kernel, const clang::Expr *lvalue, const Frame &frame);
[[nodiscard]] Pointer pointer_of(Kernel &kernel, const clang::Expr *pointer, const Frame &frame);

} // namespace kopt::body
