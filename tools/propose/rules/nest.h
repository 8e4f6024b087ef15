// Nest: a loop and all that is in it, without anything opaque. Place: where a statement stands in a nest: its loops, the
// conditions on the way, and its order among its neighbours; together they say which instances of the statement run, and when.
#pragma once

#include "core/model.h"

#include <functional>
#include <string>
#include <vector>

namespace kopt {

using Nodes = std::vector<Node>;

// One level of the way from a nest's root down to a statement.
struct Place {
  // A statement; or an If or Loop whose condition or bound is not affine: it stands for what that text reads.
  const Node *node = nullptr;
  std::vector<const Node *> loops;     // outermost first
  std::vector<int> positions;          // before the first loop, between loops, after the last: loops.size() + 1 numbers
  std::vector<Polynomial> constraints; // of affine conditions on the way; each >= 0
  std::vector<const void *> branches;  // identities of the then- and else-branches on the way
};

// The statements below `nodes` in the order they run first.
[[nodiscard]] std::vector<Place> places_in(const Nodes &nodes);

// A place in a kernel where loops may be restructured: an outermost loop that holds nothing opaque.
struct Nest {
  Nodes *siblings = nullptr; // the list that holds the root loop
  size_t index = 0;
  std::vector<Polynomial> context; // constraints that hold there, from enclosing loops and conditions; each >= 0
  std::vector<const Node *> outer; // enclosing loops

  [[nodiscard]] Node &root() const { return (*siblings)[index]; }
};

// Nests of a body. The body must outlive them; replacing a nest's root by more or fewer nodes invalidates the nests after it in
// the same list.
[[nodiscard]] std::vector<Nest> nests_in(Nodes &body);

// What holds inside a loop or the first branch of a condition, where `context` holds around it.
[[nodiscard]] std::vector<Polynomial> context_inside(const Node &node, const std::vector<Polynomial> &context);

// The constraints of a loop on its variable: lower <= variable < upper, as far as they are polynomials.
[[nodiscard]] std::vector<Polynomial> bounds_of(const Node &loop);

[[nodiscard]] bool holds_opaque(const Node &node);
void visit(const Nodes &nodes, const std::function<void(const Node &)> &see);
void visit(Nodes &nodes, const std::function<void(Node &)> &see);

// The chain of loops from `root` down, each but the last having only the next one as its body.
[[nodiscard]] std::vector<Node *> perfect_chain(Node &root);
[[nodiscard]] std::vector<const Node *> perfect_chain(const Node &root);

// All statements, no loop or condition.
[[nodiscard]] bool only_statements(const Nodes &nodes);

// Whether both bounds are polynomials that use no variable in `variables`.
[[nodiscard]] bool bounds_free_of(const Node &loop, const std::set<std::string> &variables);

// The loop with another body.
[[nodiscard]] Node with_body(const Node &loop, Nodes body);

} // namespace kopt
