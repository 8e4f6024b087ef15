// Formulas: what is read as arithmetic, and that printing changes nothing.
#include "propose/rules/formula.h"
#include "rules_nodes.h"

#include <gtest/gtest.h>

namespace kopt::fixture {
namespace {

std::string printed(std::string_view text) {
  const auto formula = parse_formula(text);
  return formula ? formula->print([](const Formula &) { return std::nullopt; }) : "refused";
}

// With parentheses around every operation.
std::string grouped(const Formula &formula) {
  return formula.print([](const Formula &part) -> std::optional<std::string> {
    if (part.kind != Formula::Kind::Operation) return std::nullopt;
    return "[" + grouped(part.operands.front()) + part.text + grouped(part.operands.back()) + "]";
  });
}

TEST(Formula, KeepsTheOrderInWhichRoundingHappens) {
  EXPECT_EQ(grouped(*parse_formula("a * @0 * @1 - b / c + 1")), "[[[[a*@0]*@1]-[b/c]]+1]");
  EXPECT_EQ(grouped(*parse_formula("a * (@0 * @1)")), "[a*([@0*@1])]");
  EXPECT_EQ(printed("-@0 * (a.b->c + 1.5e-3f) / N::x"), "-@0 * (a.b->c + 1.5e-3f) / N::x");
}

TEST(Formula, IsArithmeticOnly) {
  for (const char *text :
       {"f(@0)", "(double)@0", "@0[1]", "@0.x", "a ? b : c", "a % b", "a << 1", "--a", "a &&b", "@0 +", "", "(a", "a b"})
    EXPECT_EQ(printed(text), "refused") << text;
}

Node assigning(const std::string &pattern) {
  Node node =
      statement("S0", {access("C", "update", {sym("i")}), access("A", "read", {sym("k")}), access("C", "read", {sym("i")})});
  node.pattern = pattern;
  return node;
}

TEST(Formula, KnowsAccumulations) {
  for (const char *pattern : {"@0 += a * @1;", "@0 -= a * @1;", "@0 = @2 + a * @1;", "@0 = @2 - a * @1;"}) {
    const auto accumulation = accumulation_of(assigning(pattern));
    ASSERT_TRUE(accumulation) << pattern;
    EXPECT_EQ(grouped(accumulation->value), "[a*@1]");
    EXPECT_EQ(accumulation->sign, std::string(pattern).find('-') == std::string::npos ? '+' : '-');
  }
  // Another order of additions, another element, another operation.
  for (const char *pattern :
       {"@0 = @2 + a + @1;", "@0 = @1 + a * @2;", "@0 = @2 * a;", "@0 *= a;", "@0 == @2 + a;", "@0.x += a;"})
    EXPECT_FALSE(accumulation_of(assigning(pattern))) << pattern;
}

TEST(Formula, HasATypeWhereAllPartsHave) {
  const Model model = model_with({"C", "A"});
  const Node node = assigning("@0 += @1;");
  const auto type = [&](std::string_view text) { return type_of(*parse_formula(text), node, model).value_or("?"); };
  EXPECT_EQ(type("@1 * 2"), "double");
  EXPECT_EQ(type("n * 1.5f"), "float");
  EXPECT_EQ(type("1.5f * @1"), "double");
  EXPECT_EQ(type("1.5L * @1"), "?");
  EXPECT_EQ(type("unknown * @1"), "?");
}

} // namespace
} // namespace kopt::fixture
