// Extent: its JSON, its text as an expression, and its value.
#include "core/extent.h"
#include "core/fill.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

const Polynomial n = Polynomial::symbol("n"), m = Polynomial::symbol("m");

TEST(Extent, OfOnePolynomialIsThatPolynomialInJson) {
  EXPECT_EQ(Json(Extent(n * m)), Json(n * m));
  EXPECT_EQ(Json(n * m).get<Extent>(), Extent(n * m));
}

TEST(Extent, OfSeveralKeepsAllInJson) {
  Extent extent(n);
  extent.end.push_back(m);
  extent.first = {Polynomial() - n};
  EXPECT_EQ(Json(extent).get<Extent>(), extent);
}

TEST(Extent, IsAnExpression) {
  Extent extent(n);
  EXPECT_EQ(extent.text(), "n");
  EXPECT_EQ(extent.first_text(), "0");
  extent.end = {n, m, n + m};
  EXPECT_EQ(extent.text(), "max(n, max(m, m + n))");
}

TEST(Extent, IsEvaluated) {
  Extent extent;
  extent.first = {Polynomial(3) - n, Polynomial(1)};
  extent.end = {n, m};
  const auto elements = evaluate_extent(
      extent, [](const std::string &name) -> std::optional<Value> { return Value(std::int64_t{name == "n" ? 5 : 9}); });
  ASSERT_TRUE(elements);
  EXPECT_EQ(elements->first, -2);
  EXPECT_EQ(elements->end, 9);
}

} // namespace
} // namespace kopt
