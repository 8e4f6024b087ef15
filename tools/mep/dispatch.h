// Dispatch: the generated code that stands at the head of a kernel's body and runs a variant in place of the original when its
// guards hold. It is the same text in the application and in a candidate's shared object; only kopt_enter() and kopt_leave()
// are defined differently there.
//
// Ahead of the kernel, inside its namespaces, stands `namespace kopt_<id>`: the guards as a function of the kernel's scalars
// and pointers, then the variant. Just after the kernel's `{` stands one macro, KOPT_DISPATCH_<id>: the kernel's site, its
// scope, and the call. The macro is empty where a command-line macro that the kernel uses is no longer defined; where one has
// another value the guards never hold.
//
// A template's text is shared by its instantiations. Its dispatch has the site and the call in a class template that is
// specialized for the one instantiation that the variant is for, and does nothing in the others; several of them stand one
// after another.
#pragma once

#include "core/model.h"
#include "core/plan.h"
#include "core/record.h"
#include "mep/edit.h"

#include <map>
#include <string>
#include <vector>

namespace kopt {

// What a dispatch needs; built from a Model or from a Record.
struct DispatchInput {
  std::string slug, target;
  std::vector<std::string> namespaces;
  std::vector<Parameter> parameters;
  std::vector<Leaf> leaves;
  std::string return_type;
  Plan plan;
  std::string variant_text;
  std::string variant_name;                               // for #line
  std::map<std::string, std::string> macros_chosen;       // tunable parameters of the variant
  std::map<std::string, std::string> command_line_macros; // those the closure uses, as they were
  std::vector<TemplateArgument> template_arguments;       // of an instantiation; none for an ordinary function
  std::string anchor_text; // where known: a definition outside its namespaces (`void ns::f() {`) and constexpr are told from it
};

[[nodiscard]] DispatchInput dispatch_input(const Model &model);
[[nodiscard]] DispatchInput dispatch_input(const Record &record); // without plan and variant text: they are files of the store

// The edit that puts the variant in. An Error where a kernel or plan cannot be dispatched: unnamed parameters, a constexpr
// kernel, guards over what is neither a scalar nor a pointer of the kernel.
[[nodiscard]] Result<AnchoredEdit> dispatch_edit(const DispatchInput &input);

// Declarations that generated sources carry at their top, ahead of everything: struct kopt_site, kopt_enter, kopt_leave,
// kopt_scope, namespace kopt_guard. Without any #include; C++11 and later; may be there more than once.
[[nodiscard]] std::string dispatch_prelude();

// A condition over the template's parameters that holds in this instantiation alone:
// `::kopt_guard::same<T, float>::value && N == 4`, with `same` of a prelude.
[[nodiscard]] std::string instantiation_condition(const std::vector<TemplateArgument> &arguments,
                                                  const std::string &same = "::kopt_guard::same");

// How a leaf is spelled in the kernel's own text: "g.nx", "u", "::heat::counter"; for a pointer leaf the pointer, "&sum" for a
// reference.
[[nodiscard]] std::string leaf_spelling(const std::vector<Parameter> &parameters, const Leaf &leaf);

// Whether a pointer leaf is the object that a reference parameter refers to (`double &sum`), rather than a pointer that the
// kernel was given.
[[nodiscard]] bool is_referenced_object(const std::vector<Parameter> &parameters, const Leaf &leaf);

// "::heat::counter" for a global's qualified name, which may contain "(anonymous namespace)::".
[[nodiscard]] std::string global_spelling(const std::string &symbol);

} // namespace kopt
