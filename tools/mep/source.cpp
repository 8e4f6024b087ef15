#include "mep/source.h"

#include "mep/dispatch.h"

namespace kopt {
namespace {

std::string with_line_break(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string edited(const Model &model, const AnchoredEdit &edit) {
  const auto &closure = model.closure;
  return with_line_break(apply_edit(closure.text, closure.anchor_offset, closure.anchor_length, "kernel.cpp", edit));
}

} // namespace

std::string baseline_source(const Model &model) {
  return line_directive(1, "kernel.cpp") + with_line_break(model.closure.text) + glue_source(model);
}

Result<std::string> candidate_source(const Model &model, const Variant &variant) {
  auto input = dispatch_input(model);
  KOPT_TRY(plan, Plan::parse(variant.plan, "plan.txt"));
  input.plan = plan;
  input.variant_text = variant.text;
  input.macros_chosen = variant.parameters;
  KOPT_TRY(edit, dispatch_edit(input));
  return dispatch_prelude() + edited(model, edit) + glue_source(model);
}

std::string mep_source(const Model &model) {
  auto input = dispatch_input(model);
  input.variant_text = "#include \"variant.cpp\"\n";
  auto edit = dispatch_edit(input);
  // A kernel that no variant can be dispatched in still has a baseline to run.
  if (!edit) return baseline_source(model);
  edit->before = "#ifdef KOPT_VARIANT\n" + edit->before + "#else\n#define" + edit->after + "\n#endif\n";
  return "#ifdef KOPT_VARIANT\n#include \"kopt_prelude.h\"\n#endif\n" + edited(model, *edit) + glue_source(model);
}

} // namespace kopt
