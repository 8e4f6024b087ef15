// Delinearize: subscripts made by hand from strides, split where that can be proven.
#include "rules_nodes.h"

#include "propose/rules/delinearize.h"

#include <gtest/gtest.h>

namespace kopt::fixture {
namespace {

const Polynomial i = sym("i"), j = sym("j"), k = sym("k"), nx = sym("nx"), ny = sym("ny"), one(1);

// The recovered subscripts of `subscript` for k, j, i in these ranges: "[j + 1][i]", or "any".
std::string recovered(const Polynomial &subscript, const Polynomial &first_i, const Polynomial &end_i) {
  const Nodes nodes{
      loop("k", 0, sym("nz"),
           {loop("j", 0, ny, {loop("i", first_i, end_i, {statement("S", {access("u", "read", {subscript})})})})})};
  Integers integers;
  const Delinearization arrays(nodes, {}, integers);
  const auto &found = arrays.subscripts(nodes[0].body[0].body[0].body[0].accesses[0]);
  if (!found) return "any";
  std::string text;
  for (const Polynomial &each : *found) text += "[" + each.text() + "]";
  return text;
}

TEST(Delinearize, SplitsRowsAndPlanes) {
  EXPECT_EQ(recovered(j * nx + i, 0, nx), "[j][i]");
  EXPECT_EQ(recovered((k * ny + j) * nx + i, 0, nx), "[k][j][i]");
  EXPECT_EQ(recovered((k + one) * nx * ny + j * nx + i - one, one, nx), "[k + 1][j][i - 1]");
}

TEST(Delinearize, LeavesAffineSubscriptsAsTheyAre) { EXPECT_EQ(recovered(i + Polynomial(2) * j, 0, nx), "[i + 2 * j]"); }

TEST(Delinearize, RefusesSubscriptsThatMayLeaveTheirRow) {
  EXPECT_EQ(recovered(j * nx + i + one, 0, nx), "any");
  EXPECT_EQ(recovered(j * nx + i - one, 0, nx), "any");
  EXPECT_EQ(recovered(j * nx + i, 0, ny), "any");
}

TEST(Delinearize, RefusesStridesThatDoNotDivide) {
  EXPECT_EQ(recovered(j * nx + i * ny, 0, nx), "any");
  EXPECT_EQ(recovered(j * i, 0, nx), "any");
}

TEST(Delinearize, TheSplitAddsUpToTheSubscript) {
  const Polynomial subscript = (k + one) * nx * ny + j * nx + i - one;
  const std::set<std::string> variables{"i", "j", "k"};
  const auto strides = strides_of({subscript}, variables);
  ASSERT_TRUE(strides);
  const Subscripts parts = split_along(subscript, *strides, variables);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0] * nx * ny + parts[1] * nx + parts[2], subscript);
}

} // namespace
} // namespace kopt::fixture
