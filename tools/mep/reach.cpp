#include "mep/reach.h"

#include "core/fill.h"
#include "core/scalar.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {
namespace {

using Nodes = std::vector<Node>;

// Scalars of the recording by path; a reference to one stands for its value.
Expression::Lookup lookup_of(const Model &model, const Recording &recording) {
  return [&](const std::string &path) -> std::optional<Value> {
    const auto *leaf = model.leaf(path);
    if (!leaf) return std::nullopt;
    if (const auto scalar = recording.scalars.find(path); scalar != recording.scalars.end())
      return scalar_value(scalar->second.data(), leaf->element);
    const auto pointer = recording.pointers.find(path);
    if (pointer == recording.pointers.end() || pointer->second.buffer < 0) return std::nullopt;
    const auto &bytes = recording.buffers[static_cast<std::size_t>(pointer->second.buffer)].before;
    if (pointer->second.offset + leaf->element.size > static_cast<long>(bytes.size())) return std::nullopt;
    return scalar_value(bytes.data() + pointer->second.offset, leaf->element);
  };
}

bool touches(const Nodes &nodes, const std::string &path) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node &node) {
    return std::any_of(node.accesses.begin(), node.accesses.end(), [&](const Access &access) { return access.leaf == path; }) ||
           touches(node.body, path) || touches(node.otherwise, path);
  });
}

// A loop that certainly runs, as far as scalars tell: bounds over variables of outer loops are taken to let it run.
bool may_be_empty(const Node &loop, const Expression::Lookup &lookup) {
  if (!loop.lower.polynomial || !loop.upper.polynomial) return true;
  const auto lower = evaluate_polynomial(*loop.lower.polynomial, lookup);
  const auto upper = evaluate_polynomial(*loop.upper.polynomial, lookup);
  return lower && upper && *lower >= *upper;
}

// Whether every access to the leaf is certainly made.
bool is_certain(const Nodes &nodes, const std::string &path, const Expression::Lookup &lookup) {
  return std::all_of(nodes.begin(), nodes.end(), [&](const Node &node) {
    if (!touches({node}, path)) return true;
    if (node.kind == Node::Kind::If) return !touches(node.body, path) && !touches(node.otherwise, path);
    if (node.kind == Node::Kind::Loop && may_be_empty(node, lookup)) return false;
    return is_certain(node.body, path, lookup);
  });
}

} // namespace

Result<void> check_reach(const Model &model, const Recording &recording) {
  const auto lookup = lookup_of(model, recording);
  for (const auto &leaf : model.leaves) {
    const auto pointer = recording.pointers.find(leaf.path);
    if (leaf.access == "none" || !leaf.extent || pointer == recording.pointers.end() || pointer->second.buffer < 0 ||
        leaf.element.size <= 0)
      continue;
    const auto wanted = evaluate_extent(*leaf.extent, lookup);
    const auto size = static_cast<long>(recording.buffers[static_cast<std::size_t>(pointer->second.buffer)].before.size());
    const long held = (size - pointer->second.offset) / leaf.element.size, ahead = pointer->second.offset / leaf.element.size;
    if (!wanted || (wanted->end <= held && -wanted->first <= ahead) || !is_certain(model.body, leaf.path, lookup)) continue;
    const bool behind = wanted->end > held;
    return fail(fmt::format("call {} is not used: '{}' leads to {} elements in the application{}, and the model says that the "
                            "kernel touches {} = {}",
                            recording.call, leaf.path, held, behind ? "" : fmt::format(", {} ahead of it", ahead),
                            behind ? leaf.extent->text() : leaf.extent->first_text(), behind ? wanted->end : wanted->first),
                fmt::format("{}:{}", model.file, model.line),
                "look for an access out of bounds in the application, or give this kernel CASES");
  }
  return {};
}

} // namespace kopt
