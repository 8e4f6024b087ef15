#include "mep/sizing.h"

#include "core/scalar.h"
#include "model_fixture.h"

#include <cstring>
#include <gmock/gmock.h>

namespace kopt {
namespace {

using namespace fixture;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;

template <typename T> Bytes bytes_of(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// y[j * ld + i] += table[x[i]] for i < n, j < m would not do: x is data here, not an index.
class SizingTest : public testing::Test {
protected:
  SizingTest() {
    model.name = "f";
    model.leaves = {
        scalar_leaf("n", 0, integer_element()),
        scalar_leaf("ld", 1, integer_element()),
        scalar_leaf("radius", 2, integer_element("long", 8)),
        pointer_leaf("x", 3, "const int *", integer_element(), "read", symbol("n")),
        pointer_leaf("y", 4, "double *", float_element(), "readwrite", symbol("n") * symbol("ld") + symbol("radius")),
        result_leaf(float_element())};
    model.leaves[4].extent->first = {Polynomial() - symbol("radius")};
    for (int p = 0; p < 5; ++p) model.parameters.push_back({"p", "int", "value", "int", 4, 4, {p}});
    base.name = "call-1";
    base.weight = 0.75;
    base.nanoseconds = 1e6;
    base.arguments = {{bytes_of<int>({100}), {}, 0},
                      {bytes_of<int>({104}), {}, 0},
                      {bytes_of<long>({2}), {}, 0},
                      {{}, 0, 0},
                      {{}, 1, 16},
                      {{}, {}, 0}};
    std::vector<double> y(10404, 5.0);
    for (std::size_t k = 0; k < y.size(); ++k) y[k] += static_cast<double>(k % 3) / 4;
    std::vector<int> x(100);
    for (int k = 0; k < 100; ++k) x[static_cast<std::size_t>(k)] = 7 + k % 2;
    base.buffers = {{bytes_of(x), bytes_of(x)}, {bytes_of(y), bytes_of(y)}};
    base.result = bytes_of<double>({1});
  }

  static long integer(const Case &kase, std::size_t k) {
    long value = 0;
    std::memcpy(&value, kase.arguments[k].bytes.data(), kase.arguments[k].bytes.size());
    return value;
  }
  template <typename T> static std::vector<T> values(const Case &kase, std::size_t buffer) {
    const auto &bytes = kase.buffers.at(buffer).before;
    std::vector<T> list(bytes.size() / sizeof(T));
    std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
    return list;
  }
  std::vector<long> sizes() {
    std::vector<long> list;
    for (const auto &kase : sized_cases(model, base, 1).cases) list.push_back(integer(kase, 0));
    return list;
  }

  Model model;
  Case base;
};

TEST_F(SizingTest, ChangesSizesTogetherAndKeepsSmallNumbers) {
  const auto sized = sized_cases(model, base, 1);
  ASSERT_FALSE(sized.cases.empty()) << sized.why_none;
  for (const auto &kase : sized.cases) {
    EXPECT_LE(integer(kase, 0), integer(kase, 1)) << kase.name; // n <= ld stays true
    EXPECT_EQ(integer(kase, 2), 2);
    EXPECT_TRUE(kase.held_out);
    EXPECT_EQ(kase.origin, "sized");
    EXPECT_FALSE(kase.result);
    EXPECT_EQ(kase.weight, 0.75);
    const long n = integer(kase, 0), ld = integer(kase, 1);
    EXPECT_EQ(kase.buffers.at(0).before.size(), static_cast<std::size_t>(n) * 4);
    EXPECT_EQ(kase.arguments[4].offset, 16); // negative subscripts have their room
    EXPECT_EQ(kase.buffers.at(1).before.size(), static_cast<std::size_t>(16 + (n * ld + 2) * 8));
    EXPECT_FALSE(kase.buffers[1].after);
    EXPECT_THAT(values<int>(kase, 0), Each(AllOf(Ge(7), Le(8))));
    EXPECT_THAT(values<double>(kase, 1), Each(AllOf(Ge(5), Le(5.5))));
  }
  // ld becomes 1, 2, 3, 7, 13, 31, 67, one less, one more and a quarter more.
  EXPECT_THAT(sizes(), ElementsAre(1, 1, 1, 3, 9, 27, 63, 99, 101, 129));
}

TEST_F(SizingTest, IsTheSameInEachRun) {
  EXPECT_EQ(values<double>(sized_cases(model, base, 1).cases.back(), 1),
            values<double>(sized_cases(model, base, 1).cases.back(), 1));
  EXPECT_NE(values<double>(sized_cases(model, base, 1).cases.back(), 1),
            values<double>(sized_cases(model, base, 2).cases.back(), 1));
}

TEST_F(SizingTest, LetsEqualSizesGrowApartOnce) {
  base.arguments[1].bytes = bytes_of<int>({100});
  int apart = 0;
  for (const auto &kase : sized_cases(model, base, 1).cases) apart += integer(kase, 0) != integer(kase, 1);
  EXPECT_EQ(apart, 1);
}

TEST_F(SizingTest, LeavesOutWhatWouldTakeTooLong) {
  base.nanoseconds = 1e10; // at 104: at most a tenth of the size
  EXPECT_THAT(sizes(), ElementsAre(1, 1, 1, 3));
  base.nanoseconds = 0; // not known, and little memory
  EXPECT_EQ(sizes().size(), 10U);
}

TEST_F(SizingTest, NeverOutgrowsArraysOfAFixedSize) {
  Node statement;
  statement.kind = Node::Kind::Statement;
  statement.accesses = {{"", "buffer", "write", {symbol("i")}, "", {}, "buffer[i]", "double"}};
  model.body = {statement};
  EXPECT_FALSE(sizing_of(model).may_grow);
  EXPECT_THAT(sizes(), Each(Le(100)));
}

TEST_F(SizingTest, KeepsPointersThatAreEqualEqual) {
  model.leaves[3] = pointer_leaf("x", 3, "const double *", float_element(), "read", symbol("n"));
  base.arguments[3] = base.arguments[4];
  for (const auto &kase : sized_cases(model, base, 1).cases) {
    EXPECT_EQ(kase.arguments[3].buffer, kase.arguments[4].buffer);
    EXPECT_EQ(kase.arguments[3].offset, kase.arguments[4].offset);
    EXPECT_EQ(kase.buffers.size(), 1U);
  }
}

TEST_F(SizingTest, SaysWhySizesAreNotVaried) {
  const auto why = [&] {
    const auto sized = sized_cases(model, base, 1);
    EXPECT_THAT(sized.cases, IsEmpty());
    return sized.why_none;
  };
  const auto whole = model;
  model.leaves[3].extent.reset();
  EXPECT_THAT(why(), HasSubstr("how far the kernel goes through 'x' is not known"));
  model = whole;
  model.leaves[0].access = "readwrite";
  EXPECT_THAT(why(), HasSubstr("'n', which its size depends on, is no integer that is only read"));
  model = whole;
  model.leaves[3].extent = Polynomial(100);
  model.leaves[4].extent = Polynomial(100);
  EXPECT_THAT(why(), HasSubstr("depends on no argument"));
  model = whole;
  model.leaves[3] = pointer_leaf("x", 3, "const double *", float_element(), "read", symbol("n"));
  base.arguments[3] = {{}, 1, 24};
  EXPECT_THAT(why(), HasSubstr("'x' and 'y' overlap"));
}

} // namespace
} // namespace kopt
