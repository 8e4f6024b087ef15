// Contractions: which nests are one, what their loops are for, and what keeps a nest from being tiled.
#include "propose/rules/contraction.h"
#include "propose/rules/rules.h"
#include "rules_harness.h"
#include "rules_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt::fixture {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

const Polynomial n = sym("n"), i = sym("i"), j = sym("j"), k = sym("k");

Node product(const std::vector<Access> &accesses, const std::string &pattern = "@0 += @1 * @2;") {
  Node node = statement("S0", accesses);
  node.pattern = pattern;
  return node;
}

std::vector<Access> matrices() {
  return {access("C", "update", {i, j}), access("A", "read", {i, k}), access("B", "read", {k, j})};
}

Node nest(const std::vector<std::string> &order, Nodes body) {
  for (auto variable = order.rbegin(); variable != order.rend(); ++variable) body = {loop(*variable, 0, n, std::move(body))};
  return body.front();
}

class ContractionTest : public testing::Test {
protected:
  Model model = model_with({"A", "B", "C"});
  Machine machine;
  Integers integers;
  Names names{""};
  std::vector<Refusal> refusals;

  std::optional<Contraction> found_in(const Node &root) {
    return contraction_of(root, {}, Workshop{model, machine, integers, names, refusals});
  }
};

TEST_F(ContractionTest, FindsTheRolesInEveryOrderOfLoops) {
  for (const std::vector<std::string> &order : {std::vector<std::string>{"i", "j", "k"}, {"k", "j", "i"}, {"j", "k", "i"}}) {
    const Node root = nest(order, {product(matrices())});
    const auto found = found_in(root);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rows->variable + found->columns->variable + found->depth->variable, "ijk");
    EXPECT_THAT(found->updates, testing::ElementsAre("+= @0 * @1"));
    EXPECT_TRUE(found->operands[0].of_rows);
    EXPECT_FALSE(found->operands[1].of_rows);
    EXPECT_FALSE(found->reorders_reduction);
  }
}

TEST_F(ContractionTest, MovesWholeFactorsWhoseTypesAreKnown) {
  const Node root = nest({"i", "j", "k"}, {product(matrices(), "@0 -= n * @1 * unknown * @2;")});
  const auto found = found_in(root);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->updates, testing::ElementsAre("-= @0 * unknown * @1"));
  EXPECT_EQ(found->operands[0].text, "n * A[i][k]");
}

TEST_F(ContractionTest, IsNothingElse) {
  const auto refuses = [&](const std::vector<Access> &accesses, const std::string &pattern = "@0 += @1 * @2;") {
    const Node root = nest({"i", "j", "k"}, {product(accesses, pattern)});
    return !found_in(root);
  };
  EXPECT_TRUE(refuses({access("C", "update", {i, j}), access("C", "read", {i, k}), access("B", "read", {k, j})})) << "in place";
  EXPECT_TRUE(refuses({access("C", "update", {i, j}), access("A", "read", {i, j}), access("B", "read", {k, j})})) << "no reuse";
  EXPECT_TRUE(refuses({access("C", "update", {i + j, j}), access("A", "read", {i, k}), access("B", "read", {k, j})}))
      << "skewed";
  EXPECT_TRUE(refuses({access("C", "update", {i, i}), access("A", "read", {i, k}), access("B", "read", {k, j})})) << "diagonal";
  EXPECT_TRUE(refuses(matrices(), "@0 += @1 * @2 * k;")) << "a loop's number";
  EXPECT_TRUE(refuses(matrices(), "@0 *= @1 * @2;")) << "a product";
}

TEST_F(ContractionTest, RefusesByNameWhatMayOverlap) {
  for (Leaf &leaf : model.leaves) leaf.extent.reset();
  const Node root = nest({"i", "j", "k"}, {product(matrices())});
  EXPECT_FALSE(found_in(root));
  EXPECT_THAT(refusals, Contains(testing::AllOf(Field(&Refusal::technique, "contraction"),
                                                Field(&Refusal::reason, HasSubstr("no extent is known")))));
}

TEST_F(ContractionTest, LetsColumnsFollowRowsAndNothingElse) {
  const auto triangle = [&](const std::string &row, const std::string &column) {
    return loop(row, 0, n, {loop(column, sym(row), n, {loop("k", 0, n, {product(matrices())})})});
  };
  const Node upper = triangle("i", "j"), other = triangle("j", "i");
  EXPECT_TRUE(found_in(upper));
  EXPECT_FALSE(found_in(other));
}

TEST(RegisterTiling, KeepsSumsInTheOrderOfTheOriginal) {
  for (const char *name : {"matmul", "products_both_ways", "covariance", "tensor_rows"}) {
    const auto proposals = Rules().propose(model_named(name), 0);
    ASSERT_TRUE(proposals);
    EXPECT_THAT(proposals->proposals, Contains(Field(&Proposal::summary, testing::AllOf(HasSubstr("register tiling"),
                                                                                        Not(HasSubstr("another order"))))))
        << name;
  }
}

} // namespace
} // namespace kopt::fixture
