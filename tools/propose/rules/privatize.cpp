#include "propose/rules/privatize.h"

#include "propose/rules/words.h"

#include <algorithm>
#include <charconv>

namespace kopt {

namespace {

bool says(const Node &node, const std::string &name) { return words_in(node.text + "\n" + node.condition).contains(name); }

bool mentions(const Node &node, const std::string &name) {
  const auto inside = [&](const Nodes &nodes) {
    return std::any_of(nodes.begin(), nodes.end(), [&](const Node &inner) { return mentions(inner, name); });
  };
  return says(node, name) || inside(node.body) || inside(node.otherwise);
}

// Elements of "double[4]"; 0 for a scalar, -1 where this cannot be told.
long elements_of(const std::string &type) {
  const auto open = type.find('['), close = type.find(']');
  if (open == std::string::npos) return type.find_first_of("*&") == std::string::npos ? 0 : -1;
  long count = -1;
  if (close + 1 == type.size()) std::from_chars(type.data() + open + 1, type.data() + close, count);
  return count;
}

bool sets(const Node &node, const std::string &name) {
  const auto writes = [&](const ScalarUse &use) { return use.name == name && use.kind == "write"; };
  return node.kind == Node::Kind::Statement && std::any_of(node.scalars.begin(), node.scalars.end(), writes);
}

// `for (v = 0; v < elements; ++v) { ...; name[v] = ...; ... }`
bool fills(const Node &loop, const std::string &name, long elements) {
  if (loop.kind != Node::Kind::Loop || loop.step != 1 || says(loop, name)) return false;
  if (loop.lower.polynomial != Polynomial(0) || loop.upper.polynomial != Polynomial(elements)) return false;
  const auto first = std::find_if(loop.body.begin(), loop.body.end(), [&](const Node &node) { return mentions(node, name); });
  if (first == loop.body.end() || first->kind != Node::Kind::Statement) return false;
  const std::optional<Polynomial> element = Polynomial::symbol(loop.variable);
  return std::all_of(first->accesses.begin(), first->accesses.end(), [&](const Access &access) {
    return access.local != name || (access.kind == "write" && access.subscripts == std::vector{element});
  });
}

bool sets_before_reading(const Nodes &list, const Declares &variable) {
  const auto first = std::find_if(list.begin(), list.end(), [&](const Node &node) { return mentions(node, variable.name); });
  const long elements = elements_of(variable.type);
  return first != list.end() && (elements == 0 ? sets(*first, variable.name) : fills(*first, variable.name, elements));
}

// The innermost list of statements below `node`, a loop or a condition, that holds all uses there and sets the variable before
// it reads it, each time that it runs.
Nodes *home_below(Node &node, const Declares &variable) {
  if (says(node, variable.name)) return nullptr;
  const auto uses = [&](const Node &inner) { return mentions(inner, variable.name); };
  const bool in_then = std::any_of(node.body.begin(), node.body.end(), uses);
  const bool in_else = std::any_of(node.otherwise.begin(), node.otherwise.end(), uses);
  if (in_then == in_else) return nullptr;
  Nodes &list = in_then ? node.body : node.otherwise;
  if (std::count_if(list.begin(), list.end(), uses) == 1)
    if (Nodes *inner = home_below(*std::find_if(list.begin(), list.end(), uses), variable)) return inner;
  return sets_before_reading(list, variable) ? &list : nullptr;
}

bool is_bare_declaration(const Node &node) {
  return node.kind == Node::Kind::Statement && node.declares && !node.declares->constant && node.accesses.empty() &&
         node.scalars.empty() && node.text.find_first_of("={(") == std::string::npos && elements_of(node.declares->type) >= 0;
}

} // namespace

Nodes privatized(Nodes body) {
  for (size_t at = 0; at < body.size();) {
    Node &node = body[at];
    node.body = privatized(std::move(node.body));
    node.otherwise = privatized(std::move(node.otherwise));
    std::vector<Nodes *> homes;
    bool movable = is_bare_declaration(node);
    for (size_t later = at + 1; movable && later < body.size(); ++later) {
      if (!mentions(body[later], node.declares->name)) continue;
      homes.push_back(body[later].kind == Node::Kind::Loop ? home_below(body[later], *node.declares) : nullptr);
      movable = homes.back() != nullptr;
    }
    if (!movable || homes.empty()) {
      ++at;
      continue;
    }
    for (Nodes *home : homes) home->insert(home->begin(), node);
    body.erase(body.begin() + static_cast<long>(at));
  }
  return body;
}

} // namespace kopt
