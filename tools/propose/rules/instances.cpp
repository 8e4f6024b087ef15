#include "propose/rules/instances.h"

#include "propose/rules/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

bool holds_loop(const Node &node) {
  bool loop = node.kind == Node::Kind::Loop;
  const auto look = [&](const Node &inner) { loop = loop || inner.kind == Node::Kind::Loop; };
  visit(node.body, look);
  visit(node.otherwise, look);
  return loop;
}

bool uses(const Node &node, const std::string &name) {
  bool found = false;
  visit(Nodes{node}, [&](const Node &inner) {
    const std::string text = inner.text + "\n" + inner.condition + "\n" + inner.lower.text + "\n" + inner.upper.text;
    found = found || words_in(text).contains(name);
  });
  return found;
}

std::string at_line(const Node &node) { return fmt::format("line {}", node.line); }

class Collector {
public:
  Instances found;

  Result<void> list(const Nodes &nodes) {
    for (size_t i = 0; i < nodes.size();) {
      if (nodes[i].kind == Node::Kind::Loop) {
        KOPT_CHECK(loop(nodes[i]));
        ++i;
        continue;
      }
      KOPT_TRY(end, end_of_unit(nodes, i));
      Unit unit{{}, loops_};
      for (; i < end; ++i) unit.nodes.push_back(&nodes[i]);
      for (const Node *node : unit.nodes)
        visit_with(*node, [&](const Node &inner) { found.unit_of[&inner] = found.units.size(); });
      found.units.push_back(std::move(unit));
    }
    return {};
  }

private:
  std::vector<const Node *> loops_;

  static void visit_with(const Node &node, const std::function<void(const Node &)> &see) {
    see(node);
    visit(node.body, see);
    visit(node.otherwise, see);
  }

  Result<void> loop(const Node &node) {
    if (!node.lower.polynomial || !node.upper.polynomial || (node.reverse && node.step != 1))
      return fail("the iterations of a loop are not known exactly", at_line(node));
    loops_.push_back(&node);
    Affine affine;
    Affine::Variables names;
    for (const Node *each : loops_) names[each->variable] = "i";
    for (const Polynomial *bound : {&*node.lower.polynomial, &*node.upper.polynomial})
      if (!affine.spell(*bound, names)) return fail("a bound of a loop is not linear in loop variables", at_line(node));
    KOPT_CHECK(list(node.body));
    loops_.pop_back();
    return {};
  }

  // A unit begins at `first`: up to the last use of what it declares.
  static Result<size_t> end_of_unit(const Nodes &nodes, size_t first) {
    size_t end = first + 1;
    for (size_t i = first; i < end; ++i) {
      if (nodes[i].kind == Node::Kind::Loop || holds_loop(nodes[i]))
        return fail(nodes[i].kind == Node::Kind::If ? "a condition holds loops"
                                                    : "a scalar of a loop's own lives across its inner loops",
                    at_line(nodes[i]));
      if (nodes[i].kind == Node::Kind::Opaque) return fail("not modelled: " + nodes[i].reason, at_line(nodes[i]));
      if (!nodes[i].declares) continue;
      for (size_t user = nodes.size(); user-- > end;)
        if (uses(nodes[user], nodes[i].declares->name)) end = user + 1;
    }
    return end;
  }
};

} // namespace

Place Unit::place() const {
  Place place;
  place.node = nodes.front();
  place.loops = loops;
  return place;
}

std::string Instances::tuple(size_t unit, const std::string &prefix) const {
  return fmt::format("S{}[{}]", unit, tuple_of(units[unit].place(), prefix));
}

Result<Instances> instances_of(const Nodes &run) {
  Collector collector;
  KOPT_CHECK(collector.list(run));
  return std::move(collector.found);
}

} // namespace kopt
