// Nodes by hand: the few words that tests need to write loop nests.
#pragma once

#include "core/model.h"

#include <string>
#include <vector>

namespace kopt::fixture {

inline Polynomial sym(const std::string &name) { return Polynomial::symbol(name); }

inline Node loop(const std::string &variable, const Polynomial &lower, const Polynomial &upper, std::vector<Node> body) {
  Node node;
  node.kind = Node::Kind::Loop;
  node.id = "L" + variable;
  node.variable = variable;
  node.type = "int";
  node.lower = {lower.text(), lower};
  node.upper = {upper.text(), upper};
  node.text = "for (int " + variable + " = " + lower.text() + "; " + variable + " < " + upper.text() + "; ++" + variable + ")";
  node.body = std::move(body);
  return node;
}

inline Access access(const std::string &leaf, const std::string &kind, const std::vector<Polynomial> &subscripts) {
  Access made;
  made.leaf = leaf;
  made.kind = kind;
  made.type = "double";
  made.text = leaf;
  for (const Polynomial &subscript : subscripts) {
    made.subscripts.push_back(subscript);
    made.text += "[" + subscript.text() + "]";
  }
  return made;
}

inline Node statement(const std::string &id, std::vector<Access> accesses) {
  Node node;
  node.kind = Node::Kind::Statement;
  node.id = id;
  node.line = 1;
  node.text = id;
  node.pattern = id;
  node.accesses = std::move(accesses);
  return node;
}

// A kernel with the size n and pointers to double of these names, each n * n elements long.
inline Model model_with(const std::vector<std::string> &pointers) {
  Model model;
  model.name = "kernel";
  Leaf n;
  n.path = "n";
  n.origin = "parameter";
  n.parameter = 0;
  n.kind = "scalar";
  n.element = {"int", "integer", 4, true, {}};
  model.parameters.push_back({"n", "int", "value", "int", 4, 4, {0}});
  model.leaves.push_back(n);
  for (const std::string &name : pointers) {
    Leaf leaf;
    leaf.path = name;
    leaf.origin = "parameter";
    leaf.parameter = static_cast<int>(model.parameters.size());
    leaf.kind = "pointer";
    leaf.element = {"double", "float", 8, true, {}};
    leaf.access = "readwrite";
    leaf.extent = sym("n") * sym("n");
    model.parameters.push_back({name, "double *", "value", "double *", 8, 8, {static_cast<int>(model.leaves.size())}});
    model.leaves.push_back(leaf);
  }
  return model;
}

} // namespace kopt::fixture
