// Accumulation in place: `double sum = 0; for k sum += ...; C[i][j] = sum;` becomes `C[i][j] = 0; for k C[i][j] += ...;`. By
// itself no gain, but it makes loops perfect after distribution, so that they can be exchanged.
#include "propose/rules/rewrite.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

// Three neighbours in a body: the declaration, the loop, and the store of the result.
struct Accumulation {
  size_t declaration, loop, store;
};

bool uses_word(const Node &node, const std::string &word) {
  bool uses = words_in(node.text + " " + node.condition).contains(word);
  const auto look = [&](const Node &inner) { uses = uses || words_in(inner.text + " " + inner.condition).contains(word); };
  visit(node.body, look);
  visit(node.otherwise, look);
  return uses;
}

// Every statement of the loop that uses the scalar is a reduction into it.
bool only_reduces(const Node &loop, const std::string &scalar) {
  bool only = true;
  visit(loop.body, [&](const Node &node) {
    if (!words_in(node.text + " " + node.condition).contains(scalar) || node.kind == Node::Kind::Loop) return;
    only = only && node.kind == Node::Kind::Statement && node.reduction && node.reduction->scalar == scalar;
  });
  return only;
}

// The element may take the scalar's place: no statement of the loop touches its array, and its subscripts stay as they are.
bool may_hold(const Access &element, const Node &loop) {
  std::set<std::string> changing{loop.variable};
  bool touched = false;
  visit(loop.body, [&](const Node &node) {
    if (node.kind == Node::Kind::Loop) changing.insert(node.variable);
    if (node.declares) changing.insert(node.declares->name);
    for (const ScalarUse &use : node.scalars)
      if (use.kind != "read") changing.insert(use.name);
    for (const Access &access : node.accesses)
      touched = touched || access.leaf == element.leaf || (access.leaf.empty() && access.local.empty());
  });
  for (const std::string &word : words_in(element.text))
    if (changing.contains(word)) return false;
  return !touched && std::all_of(element.subscripts.begin(), element.subscripts.end(),
                                 [](const auto &subscript) { return subscript.has_value(); });
}

std::optional<Accumulation> find(const Nodes &body) {
  for (size_t i = 0; i + 2 < body.size(); ++i) {
    const Node &declaration = body[i], &loop = body[i + 1], &store = body[i + 2];
    if (!declaration.declares || declaration.declares->constant || loop.kind != Node::Kind::Loop ||
        store.kind != Node::Kind::Statement)
      continue;
    const std::string &scalar = declaration.declares->name;
    if (store.pattern != fmt::format("@0 = {};", scalar) || store.accesses.size() != 1 || store.accesses.front().leaf.empty())
      continue;
    if (store.accesses.front().type != declaration.declares->type || declaration.pattern.find('=') == std::string::npos)
      continue;
    if (!declaration.accesses.empty() || !only_reduces(loop, scalar) || !may_hold(store.accesses.front(), loop)) continue;
    const bool used_later = std::any_of(body.begin() + static_cast<long>(i) + 3, body.end(),
                                        [&](const Node &node) { return uses_word(node, scalar); });
    if (!used_later) return Accumulation{i, i + 1, i + 2};
  }
  return std::nullopt;
}

// `sum += @0 * @1;` with the scalar's name replaced by one more hole, for the element.
void use_element(Node &statement, const std::string &scalar, const Access &element) {
  Access access = element;
  access.kind = "update";
  statement.pattern = replace_words(statement.pattern, {{scalar, "@" + std::to_string(statement.accesses.size())}});
  statement.reduction->scalar.clear();
  statement.reduction->access = static_cast<int>(statement.accesses.size());
  statement.accesses.push_back(access);
  std::erase_if(statement.scalars, [&](const ScalarUse &use) { return use.name == scalar; });
  std::vector<std::string> holes;
  for (const Access &each : statement.accesses) holes.push_back(each.text);
  statement.text = fill_holes(statement.pattern, holes);
}

void rewrite(Nodes &body, const Accumulation &found) {
  const std::string scalar = body[found.declaration].declares->name;
  const Access element = body[found.store].accesses.front();
  Node &first = body[found.declaration];
  first.pattern = "@0 " + first.pattern.substr(first.pattern.find('='));
  first.text = fill_holes(first.pattern, {element.text});
  first.accesses = {element};
  first.declares.reset();
  std::erase_if(first.scalars, [&](const ScalarUse &use) { return use.name == scalar; });
  visit(body[found.loop].body, [&](Node &node) {
    if (node.reduction && node.reduction->scalar == scalar) use_element(node, scalar, element);
  });
  body.erase(body.begin() + static_cast<long>(found.store));
}

bool rewrite_all(Nodes &list) {
  bool any = false;
  while (const auto found = find(list)) {
    rewrite(list, *found);
    any = true;
  }
  for (Node &node : list) any = rewrite_all(node.body) || any;
  return any;
}

} // namespace

std::optional<Rewrite> accumulate_in_place(const Nest &nest, const Workshop &workshop) {
  Nodes nodes{nest.root()};
  if (!rewrite_all(nodes)) return std::nullopt;
  // Between its first and last value the element holds partial sums: nothing read meanwhile may overlap it.
  const Dependences dependences(workshop.model, nodes, nest.context, workshop.integers);
  const Alias alias(workshop.model);
  const std::vector<Place> places = places_in(nodes);
  for (const Place &writing : places)
    for (const Access &written : writing.node->accesses)
      for (const Place &other : places)
        for (const Access &access : other.node->accesses)
          if (written.writes() && !access.leaf.empty() && access.leaf != written.leaf &&
              alias.overlap(written.leaf, access.leaf) == Overlap::Possible)
            return std::nullopt;
  if (!dependences.legal(nodes).legal) return std::nullopt;
  return Rewrite{nodes, "accumulation in place", false, dependences.assumed()};
}

} // namespace kopt
