// Body: the model of what a kernel does: loops, conditions, statements, array accesses, reductions (docs/formats.md, "Body
// nodes").
//
// One noun per file: body_source (text and ranges), body_locals (who writes which variable), body_kernel (the kernel under
// analysis, inlined helpers), body_affine (integer expressions as polynomials), body_place (which object and element an
// expression denotes), body_purity (functions without effects), body_statement (one statement), body_reduction, body_loop, body
// (the nodes), body_extent (what is touched through each leaf; no LLVM).
#pragma once

#include "core/model.h"

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace kopt {

// Fills model.body, adds to model.notes, and gives every leaf its access and extent. The AST is that of model.closure.text
// parsed alone; leaves, parameters and closure are filled already. What cannot be modelled becomes an opaque node with its
// reason.
void build_body(clang::ASTContext &context, const clang::FunctionDecl &kernel, Model &model);

} // namespace kopt
