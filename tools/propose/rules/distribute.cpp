// Loop distribution: `for j { C = 0; for k ... }` becomes `for j C = 0; for j for k ...`.
#include "propose/rules/rewrite.h"

#include <algorithm>

namespace kopt {

namespace {

bool holds_loop(const Node &node) {
  bool loop = node.kind == Node::Kind::Loop;
  const auto look = [&](const Node &inner) { loop = loop || inner.kind == Node::Kind::Loop; };
  visit(node.body, look);
  visit(node.otherwise, look);
  return loop;
}

std::set<std::string> scalars_declared(const Nodes &group) {
  std::set<std::string> names;
  for (const Node &node : group)
    if (node.declares) names.insert(node.declares->name);
  return names;
}

bool uses_any(const Nodes &nodes, const std::set<std::string> &scalars) {
  bool uses = false;
  visit(nodes, [&](const Node &node) {
    for (const std::string &word : words_in(node.text + "\n" + node.condition)) uses = uses || scalars.contains(word);
  });
  return uses;
}

// Runs of statements, and each loop alone.
std::vector<Nodes> parts_of(const Nodes &body, bool finely) {
  std::vector<Nodes> parts;
  bool open = false; // the last part may take another statement
  for (const Node &node : body) {
    const bool loop = holds_loop(node);
    const bool belongs = !finely || (!parts.empty() && uses_any({node}, scalars_declared(parts.back())));
    if (open && !loop && belongs) {
      parts.back().push_back(node);
    } else {
      parts.push_back({node});
    }
    open = !loop;
  }
  return parts;
}

// A scalar declared in one part and used in another would need an array.
bool share_scalars(const std::vector<Nodes> &parts) {
  for (size_t i = 0; i < parts.size(); ++i)
    for (size_t j = i + 1; j < parts.size(); ++j)
      if (uses_any(parts[j], scalars_declared(parts[i]))) return true;
  return false;
}

Nodes split(const Node &node, bool finely) {
  if (node.kind != Node::Kind::Loop) return {node};
  Nodes body;
  for (const Node &inner : node.body)
    for (Node &piece : split(inner, finely)) body.push_back(std::move(piece));
  std::vector<Nodes> parts = parts_of(body, finely);
  if (parts.size() < 2 || share_scalars(parts)) return {with_body(node, body)};
  Nodes loops;
  for (Nodes &part : parts) {
    loops.push_back(with_body(node, std::move(part)));
    loops.back().id += "." + std::to_string(loops.size());
  }
  return loops;
}

} // namespace

std::optional<Rewrite> distribute(const Nest &nest, const Workshop &workshop, bool finely) {
  const Nodes after = split(nest.root(), finely);
  if (after.size() < 2) return std::nullopt;
  const Nodes before{nest.root()};
  const Dependences dependences(workshop.model, before, nest.context, workshop.integers);
  const Legality legality = dependences.legal(after);
  if (legality.legal) return Rewrite{after, "distribution", legality.reorders_reduction, dependences.assumed()};
  workshop.refuse("distribution", legality.reason, legality.line);
  return std::nullopt;
}

} // namespace kopt
