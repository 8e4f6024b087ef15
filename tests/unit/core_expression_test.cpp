#include "core/expression.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

std::optional<Value> lookup(const std::string &path) {
  if (path == "n") return std::int64_t{10};
  if (path == "g.nx") return std::int64_t{3};
  if (path == "x") return 0.5;
  if (path == "big") return std::int64_t{1} << 62;
  return std::nullopt;
}

std::int64_t integer(const std::string &text) { return Expression::parse(text).value().evaluate_integer(lookup).value(); }

TEST(Expression, FollowsPrecedence) {
  EXPECT_EQ(integer("1 + 2 * n"), 21);
  EXPECT_EQ(integer("(1 + 2) * n"), 30);
  EXPECT_EQ(integer("n - 3 - 2"), 5);
  EXPECT_EQ(integer("-g.nx + n % 4"), -1);
  EXPECT_EQ(integer("not n < 3 and g.nx == 3 or 0"), 1);
  EXPECT_EQ(integer("ceil_div(n, 4) + min(n, 7) + max(1, 2)"), 12);
}

TEST(Expression, MixesIntegersAndReals) {
  EXPECT_DOUBLE_EQ(std::get<double>(Expression::parse("x * n").value().evaluate(lookup).value()), 5.0);
}

TEST(Expression, OverflowAndDivisionByZeroAreErrors) {
  EXPECT_FALSE(Expression::parse("big * 2 * 2").value().evaluate(lookup));
  EXPECT_FALSE(Expression::parse("n / (g.nx - 3)").value().evaluate(lookup));
  EXPECT_FALSE(Expression::parse("unknown + 1").value().evaluate(lookup));
}

TEST(Expression, BrokenTextNamesTheColumn) {
  const auto broken = Expression::parse("n + ");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().what.find("column 5"), std::string::npos) << broken.error().message();
  EXPECT_FALSE(Expression::parse("sin(n)"));
  EXPECT_FALSE(Expression::parse("n n"));
  EXPECT_FALSE(Expression::parse(std::string(100000, '(')));
}

TEST(Expression, TextParsesBackToTheSame) {
  for (const char *text : {"a + (b * c)", "-n", "min(a, b + 1)", "(a < b) and (not c)", "1.5 * x"}) {
    const Expression once = Expression::parse(text).value();
    EXPECT_EQ(Expression::parse(once.text()).value().text(), once.text());
  }
}

TEST(Expression, CppChecksArithmetic) {
  const Expression sum = Expression::parse("g.nx * n <= 4").value();
  EXPECT_EQ(sum.cpp([](const std::string &path) { return path; }),
            "(::kopt_guard::multiply(ok, ::kopt_guard::value(g.nx), ::kopt_guard::value(n)) <= 4LL)");
}

} // namespace
} // namespace kopt
