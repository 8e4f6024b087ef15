#include "propose/rules/fragment.h"

#include "propose/rules/nest.h"
#include "propose/rules/words.h"

#include <fmt/format.h>

namespace kopt {

namespace {

// `const double *` and x: "const double *__restrict__ x"; `double (*)[64]` and x: "double (*__restrict__ x)[64]".
std::string declaration_of(const Parameter &parameter, bool restricted) {
  const std::string name = (restricted ? "__restrict__ " : "") + parameter.name;
  for (const char *inner : {"(*", "(&"}) {
    const size_t at = parameter.type.find(inner);
    if (at != std::string::npos) return parameter.type.substr(0, at + 2) + name + parameter.type.substr(at + 2);
  }
  const bool tight = parameter.type.ends_with('*') || parameter.type.ends_with('&');
  return parameter.type + (tight ? "" : " ") + name;
}

bool is_plain_pointer(const Model &model, const Leaf &leaf) {
  if (!leaf.is_pointer() || leaf.origin != "parameter" || leaf.parameter < 0) return false;
  const Parameter &parameter = model.parameters[static_cast<size_t>(leaf.parameter)];
  return parameter.name == leaf.path && parameter.type.find("(&") == std::string::npos;
}

} // namespace

std::optional<Restriction> restriction_of(const Model &model, Refusal &refusal) {
  refusal = {"restrict", "", model.line};
  std::set<std::string> used, written;
  visit(model.body, [&](const Node &node) {
    const std::string where = fmt::format("`{}` (line {})", trimmed(node.text), node.line);
    if (node.kind == Node::Kind::Opaque) refusal = {"restrict", where + " is not modelled: " + node.reason, node.line};
    for (const Access &access : node.accesses) {
      if (access.leaf.empty() && access.local.empty())
        refusal = {"restrict", where + " touches memory that the model does not know", node.line};
      if (access.leaf.empty()) continue;
      used.insert(access.leaf);
      if (access.writes()) written.insert(access.leaf);
    }
  });
  for (const Leaf &leaf : model.leaves) { // what is read or written without an access of its own
    if (leaf.origin == "result" || leaf.access == "none") continue;
    used.insert(leaf.path);
    if (leaf.is_pointer() && leaf.may_be_written()) written.insert(leaf.path);
  }
  Restriction restriction;
  const Alias alias(model);
  for (const std::string &one : written)
    for (const std::string &other : used) {
      if (one == other) continue;
      const Overlap overlap = alias.overlap(one, other);
      if (overlap == Overlap::Guarded) restriction.assumed.insert(pair_of(one, other));
      if (overlap == Overlap::Possible && refusal.reason.empty()) refusal.reason = alias.why_possible(one, other);
    }
  if (!refusal.reason.empty()) return std::nullopt;
  if (written.empty()) return restriction;
  for (const std::string &path : used)
    if (const Leaf *leaf = model.leaf(path); leaf && is_plain_pointer(model, *leaf)) restriction.parameters.insert(path);
  return restriction;
}

std::string fragment_text(const Model &model, const std::string &summary, const std::vector<ParameterRange> &tunables,
                          const std::set<std::string> &restricted, const std::string &body) {
  std::string text = fmt::format("// {}: {}.\n", model.name, summary);
  for (const ParameterRange &range : tunables)
    text += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", range.macro, range.values.front());
  std::string parameters;
  for (const Parameter &parameter : model.parameters)
    parameters += (parameters.empty() ? "" : ", ") + declaration_of(parameter, restricted.contains(parameter.name));
  text += fmt::format("static inline {} kopt_variant({}) {{\n{}}}\n", model.return_type, parameters, body);
  return text;
}

} // namespace kopt
