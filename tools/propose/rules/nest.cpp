#include "propose/rules/nest.h"

namespace kopt {

namespace {

bool has_affine_form(const Node &loop) { return loop.lower.polynomial && loop.upper.polynomial; }

class Walk {
public:
  std::vector<Place> found;

  void nodes(const Nodes &list, int &position) {
    for (const Node &node : list) one(node, position);
  }

private:
  Place here_;

  void add(const Node &node, int position) {
    Place place = here_;
    place.node = &node;
    place.positions.push_back(position);
    found.push_back(std::move(place));
  }

  void one(const Node &node, int &position) {
    switch (node.kind) {
    case Node::Kind::Statement:
    case Node::Kind::Opaque:
      add(node, position++);
      break;
    case Node::Kind::If:
      condition(node, position);
      break;
    case Node::Kind::Loop:
      loop(node, position);
      break;
    }
  }

  void condition(const Node &node, int &position) {
    if (!node.constraints) add(node, position++);
    branch(node.body, node.constraints ? *node.constraints : std::vector<Polynomial>{}, position);
    branch(node.otherwise, {}, position);
  }

  void branch(const Nodes &body, const std::vector<Polynomial> &constraints, int &position) {
    const Place outside = here_;
    here_.branches.push_back(&body);
    here_.constraints.insert(here_.constraints.end(), constraints.begin(), constraints.end());
    nodes(body, position);
    here_ = outside;
  }

  void loop(const Node &node, int &position) {
    if (!has_affine_form(node)) add(node, position++);
    const Place outside = here_;
    here_.positions.push_back(position++);
    here_.loops.push_back(&node);
    int inner = 0;
    nodes(node.body, inner);
    here_ = outside;
  }
};

void find_nests(Nodes &list, const std::vector<Polynomial> &context, const std::vector<const Node *> &outer,
                std::vector<Nest> &found) {
  for (size_t i = 0; i < list.size(); ++i) {
    Node &node = list[i];
    if (node.kind == Node::Kind::Loop && !holds_opaque(node)) {
      found.push_back({&list, i, context, outer});
    } else if (node.kind == Node::Kind::Loop) {
      std::vector<Polynomial> inner = context;
      for (const Polynomial &bound : bounds_of(node)) inner.push_back(bound);
      std::vector<const Node *> loops = outer;
      loops.push_back(&node);
      find_nests(node.body, inner, loops, found);
    } else if (node.kind == Node::Kind::If) {
      std::vector<Polynomial> inner = context;
      if (node.constraints) inner.insert(inner.end(), node.constraints->begin(), node.constraints->end());
      find_nests(node.body, inner, outer, found);
      find_nests(node.otherwise, context, outer, found);
    }
  }
}

template <typename N> std::vector<N *> chain_from(N &root) {
  std::vector<N *> chain{&root};
  while (chain.back()->body.size() == 1 && chain.back()->body.front().kind == Node::Kind::Loop)
    chain.push_back(&chain.back()->body.front());
  return chain;
}

} // namespace

std::vector<Place> places_in(const Nodes &nodes) {
  Walk walk;
  int position = 0;
  walk.nodes(nodes, position);
  return walk.found;
}

std::vector<Nest> nests_in(Nodes &body) {
  std::vector<Nest> found;
  find_nests(body, {}, {}, found);
  return found;
}

std::vector<Polynomial> bounds_of(const Node &loop) {
  std::vector<Polynomial> constraints;
  const Polynomial variable = Polynomial::symbol(loop.variable);
  if (loop.lower.polynomial) constraints.push_back(variable - *loop.lower.polynomial);
  if (loop.upper.polynomial) constraints.push_back(*loop.upper.polynomial - variable - Polynomial(1));
  return constraints;
}

std::vector<Polynomial> context_inside(const Node &node, const std::vector<Polynomial> &context) {
  std::vector<Polynomial> inside = context;
  if (node.kind == Node::Kind::Loop)
    for (const Polynomial &bound : bounds_of(node)) inside.push_back(bound);
  if (node.kind == Node::Kind::If && node.constraints)
    inside.insert(inside.end(), node.constraints->begin(), node.constraints->end());
  return inside;
}

bool holds_opaque(const Node &node) {
  bool opaque = node.kind == Node::Kind::Opaque;
  const auto look = [&](const Node &inner) { opaque = opaque || inner.kind == Node::Kind::Opaque; };
  visit(node.body, look);
  visit(node.otherwise, look);
  return opaque;
}

void visit(const Nodes &nodes, const std::function<void(const Node &)> &see) {
  for (const Node &node : nodes) {
    see(node);
    visit(node.body, see);
    visit(node.otherwise, see);
  }
}

void visit(Nodes &nodes, const std::function<void(Node &)> &see) {
  for (Node &node : nodes) {
    see(node);
    visit(node.body, see);
    visit(node.otherwise, see);
  }
}

std::vector<Node *> perfect_chain(Node &root) { return chain_from(root); }
std::vector<const Node *> perfect_chain(const Node &root) { return chain_from(root); }

bool only_statements(const Nodes &nodes) {
  for (const Node &node : nodes)
    if (node.kind != Node::Kind::Statement) return false;
  return true;
}

bool bounds_free_of(const Node &loop, const std::set<std::string> &variables) {
  if (!has_affine_form(loop)) return false;
  for (const Polynomial *bound : {&*loop.lower.polynomial, &*loop.upper.polynomial})
    for (const std::string &symbol : bound->symbols())
      if (variables.contains(symbol)) return false;
  return true;
}

Node with_body(const Node &loop, Nodes body) {
  Node copy = loop;
  copy.body = std::move(body);
  return copy;
}

} // namespace kopt
