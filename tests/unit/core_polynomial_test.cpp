#include "core/polynomial.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

Polynomial s(const char *name) { return Polynomial::symbol(name); }

TEST(Polynomial, TermsThatCancelVanish) {
  EXPECT_TRUE((s("i") - s("i")).is_zero());
  EXPECT_EQ(s("i") * s("n") + s("j"), s("j") + s("n") * s("i"));
}

TEST(Polynomial, TextPutsProductsFirstAndTheConstantLast) {
  EXPECT_EQ((Polynomial(-1) + s("i") + s("j") * s("g.nx")).text(), "g.nx * j + i - 1");
  EXPECT_EQ((Polynomial(0) - s("i") * 2).text(), "-2 * i");
  EXPECT_EQ(Polynomial().text(), "0");
}

TEST(Polynomial, SubstituteReplacesPowers) {
  const Polynomial square = s("i") * s("i") + s("i");
  EXPECT_EQ(square.substitute("i", s("n") - 1), s("n") * s("n") - s("n"));
  EXPECT_EQ(square.degree_in("i"), 2);
}

TEST(Polynomial, CoefficientOfTakesTheLinearPart) {
  const Polynomial p = s("i") * s("n") + s("i") * 3 + s("j");
  EXPECT_EQ(p.coefficient_of("i"), s("n") + 3);
  EXPECT_TRUE(p.coefficient_of("k").is_zero());
}

TEST(Polynomial, SurvivesJson) {
  const Polynomial p = s("i") * s("g.nx") * 4 - s("j") + 7;
  EXPECT_EQ(Json(p).get<Polynomial>(), p);
}

} // namespace
} // namespace kopt
