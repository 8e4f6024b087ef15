// Dependence: what is called legal is compared with all orders of all instances, counted one by one for small sizes.
#include "rules_nodes.h"

#include "propose/rules/dependence.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace kopt::fixture {
namespace {

using Values = std::map<std::string, long>;

long value_of(const Polynomial &polynomial, const Values &values) {
  long sum = 0;
  for (const auto &[monomial, coefficient] : polynomial.terms()) {
    long product = coefficient;
    for (const std::string &symbol : monomial) product *= values.at(symbol);
    sum += product;
  }
  return sum;
}

// One statement in one iteration, and the cells it touches.
struct Instance {
  std::string name;                                      // statement and iteration
  std::vector<std::pair<std::vector<long>, bool>> cells; // cell, is it written
};

void run(const Nodes &nodes, Values &values, std::vector<Instance> &order) {
  for (const Node &node : nodes) {
    if (node.kind == Node::Kind::Loop) {
      const long first = value_of(*node.lower.polynomial, values), end = value_of(*node.upper.polynomial, values);
      for (long step = 0; step < end - first; ++step) {
        values[node.variable] = node.reverse ? end - 1 - step : first + step;
        run(node.body, values, order);
      }
      values.erase(node.variable);
      continue;
    }
    Instance instance;
    instance.name = node.id;
    for (const auto &[variable, value] : values) instance.name += " " + variable + "=" + std::to_string(value);
    for (const Access &access : node.accesses) {
      std::vector<long> cell;
      for (const auto &subscript : access.subscripts) cell.push_back(value_of(*subscript, values));
      instance.cells.push_back({cell, access.writes()});
    }
    order.push_back(instance);
  }
}

bool conflict(const Instance &a, const Instance &b) {
  for (const auto &[cell, writes] : a.cells)
    for (const auto &[other, other_writes] : b.cells)
      if (cell == other && (writes || other_writes)) return true;
  return false;
}

// Whether some dependence is turned around, for sizes in this range.
bool turns_around(const Nodes &before, const Nodes &after, long from = 0, long to = 6) {
  for (long n = from; n <= to; ++n) {
    Values values{{"n", n}};
    std::vector<Instance> old_order, new_order;
    run(before, values, old_order);
    run(after, values, new_order);
    std::map<std::string, size_t> when;
    for (size_t i = 0; i < new_order.size(); ++i) when[new_order[i].name] = i;
    for (size_t i = 0; i < old_order.size(); ++i)
      for (size_t j = i + 1; j < old_order.size(); ++j)
        if (when.at(old_order[j].name) < when.at(old_order[i].name) && conflict(old_order[i], old_order[j])) return true;
  }
  return false;
}

class RandomNest {
public:
  explicit RandomNest(unsigned seed) : random_(seed) {}

  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  // i, j, or their sum or difference now and then; shifted.
  Polynomial subscript(const std::string &variable, const std::string &other) {
    Polynomial base = sym(variable);
    if (number(0, 5) == 0) base = base + Polynomial(number(0, 1) ? 1 : -1) * sym(other);
    return base + Polynomial(number(-1, 1));
  }

  Node assignment(const std::string &id) {
    std::vector<Access> accesses{access("a", "write", {subscript("i", "j"), subscript("j", "i")})};
    for (int reads = number(1, 2); reads > 0; --reads)
      accesses.push_back(access("a", "read", {subscript("i", "j"), subscript("j", "i")}));
    return statement(id, accesses);
  }

private:
  std::mt19937 random_;
};

Node nest_of(const std::vector<std::string> &variables, const Nodes &body) {
  Nodes inner = body;
  for (auto variable = variables.rbegin(); variable != variables.rend(); ++variable)
    inner = {loop(*variable, Polynomial(1), sym("n"), inner)};
  return inner.front();
}

TEST(Dependences, AgreeWithCountingInstancesOnRandomNests) {
  const Model model = model_with({"a"});
  int legal = 0, illegal = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    RandomNest random(seed);
    Nodes body{random.assignment("S0")};
    if (seed % 3 == 0) body.push_back(random.assignment("S1"));
    const Nodes before{nest_of({"i", "j"}, body)};
    Integers integers;
    const Dependences dependences(model, before, {}, integers);
    std::vector<Nodes> orders{{nest_of({"j", "i"}, body)}, before, before};
    orders[1].front().reverse = true;
    orders[2].front().body.front().reverse = true;
    if (body.size() == 2) orders.push_back({nest_of({"i", "j"}, {body[0]}), nest_of({"i", "j"}, {body[1]})});
    for (const Nodes &after : orders) {
      const bool claims = dependences.legal(after).legal;
      // A few dependences need more room than size 6 has.
      EXPECT_EQ(claims, !turns_around(before, after) && (claims || !turns_around(before, after, 7, 12)))
          << "seed " << seed << ", order " << (&after - orders.data());
      ++(claims ? legal : illegal);
    }
  }
  EXPECT_GT(legal, 50); // the test sees both answers
  EXPECT_GT(illegal, 50);
}

TEST(Dependences, OfLinearSubscriptsNeverCallLegalWhatIsNot) {
  const Model model = model_with({"a"});
  int legal = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    RandomNest random(seed);
    const auto linear = [&] { return sym("n") * random.subscript("i", "j") + random.subscript("j", "i"); };
    const Nodes body{statement("S0", {access("a", "write", {linear()}), access("a", "read", {linear()})})};
    const Nodes before{nest_of({"i", "j"}, body)}, after{nest_of({"j", "i"}, body)};
    Integers integers;
    const bool claims = Dependences(model, before, {}, integers).legal(after).legal;
    EXPECT_FALSE(claims && turns_around(before, after)) << "seed " << seed;
    legal += claims ? 1 : 0;
  }
  EXPECT_GT(legal, 3);
}

TEST(Dependences, ReorderReductionsAndSayTheyDo) {
  const Model model = model_with({"a", "s"});
  Node sum = statement("S0", {access("s", "update", {Polynomial(0)}), access("a", "read", {sym("i"), sym("j")})});
  const Nodes plain{nest_of({"i", "j"}, {sum})};
  sum.reduction = Reduction{"+", 0, ""};
  const Nodes reduction{nest_of({"i", "j"}, {sum})}, exchanged{nest_of({"j", "i"}, {sum})};
  Integers integers;
  const Legality free = Dependences(model, reduction, {}, integers).legal(exchanged);
  EXPECT_TRUE(free.legal);
  EXPECT_TRUE(free.reorders_reduction);
  EXPECT_FALSE(Dependences(model, plain, {}, integers).legal(exchanged).legal);
}

TEST(Dependences, AssumeLeavesDisjointOnlyWhereAGuardCanTell) {
  Model model = model_with({"a", "b"});
  const Nodes body{statement("S0", {access("b", "write", {sym("i"), sym("j")}), access("a", "read", {sym("j"), sym("i")})})};
  const Nodes before{nest_of({"i", "j"}, body)}, after{nest_of({"j", "i"}, body)};
  Integers integers;
  const Dependences guarded(model, before, {}, integers);
  EXPECT_TRUE(guarded.legal(after).legal);
  EXPECT_EQ(guarded.assumed(), (DisjointPairs{{"a", "b", ""}}));
  EXPECT_EQ(Alias(model).guards(guarded.assumed()), "require n >= 0\nrequire disjoint(a[0 : n * n], b[0 : n * n])\n");
  model.leaves[1].extent.reset();
  const Legality refused = Dependences(model, before, {}, integers).legal(after);
  EXPECT_FALSE(refused.legal);
  EXPECT_NE(refused.reason.find("no extent is known for a"), std::string::npos) << refused.reason;
}

TEST(Dependences, TreatUnknownObjectsAsAnything) {
  const Model model = model_with({"a"});
  const Nodes body{statement("S0", {access("a", "write", {sym("i"), sym("j")}), access("", "read", {sym("i")})})};
  Integers integers;
  const Nodes before{nest_of({"i", "j"}, body)};
  const Legality refused = Dependences(model, before, {}, integers).legal({nest_of({"j", "i"}, body)});
  EXPECT_FALSE(refused.legal);
  EXPECT_NE(refused.reason.find("the model does not know"), std::string::npos) << refused.reason;
}

} // namespace
} // namespace kopt::fixture
