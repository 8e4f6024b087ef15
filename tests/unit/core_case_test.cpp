#include "core/case.h"

#include "core/fill.h"
#include "core/scalar.h"
#include "model_fixture.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <gmock/gmock.h>

namespace kopt {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

template <typename T> std::vector<T> numbers(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

class CaseTest : public testing::Test {
protected:
  Result<std::vector<Case>> read(const std::string &cases, std::uint64_t seed = 1) {
    disk.files["/c/cases.json"] = R"({"format": "kopt-cases", "version": 1, "cases": [)" + cases + "]}";
    return read_cases(disk, "/c/cases.json", model, seed);
  }

  std::string error(const std::string &cases) {
    auto result = read(cases);
    return result ? "no error" : result.error().message();
  }

  // A stencil case with these arguments for u and next.
  static std::string stencil(const std::string &u, const std::string &next = R"({"fill": "zero"})",
                             const std::string &more = "") {
    return R"({"name": "small", "arguments": {"g.nx": 4, "g.ny": 3, "g.alpha": "0x1.8p+1", "u": )" + u + R"(, "next": )" +
           next + "}" + more + "}";
  }

  const Bytes &buffer(const Case &kase, int leaf) {
    return kase.buffers.at(static_cast<std::size_t>(*kase.arguments.at(static_cast<std::size_t>(leaf)).buffer)).before;
  }

  MemoryDisk disk;
  Model model = fixture::stencil();
};

TEST_F(CaseTest, ExpandsScalarsAndTheModelsExtents) {
  auto cases = read(stencil("{}"));
  ASSERT_TRUE(cases) << cases.error().message();
  const auto &kase = cases->at(0);
  EXPECT_EQ(kase.name, "small");
  EXPECT_EQ(kase.origin, "user");
  EXPECT_THAT(numbers<int>(kase.arguments[1].bytes), ElementsAre(3));
  EXPECT_THAT(numbers<double>(kase.arguments[2].bytes), ElementsAre(3.0));
  EXPECT_EQ(buffer(kase, 3).size(), 4 * 3 * sizeof(double));
  EXPECT_THAT(numbers<double>(buffer(kase, 4)), testing::Each(0.0));
  for (double value : numbers<double>(buffer(kase, 3))) EXPECT_TRUE(value >= -1 && value < 1) << value;
  EXPECT_EQ(std::get<std::int64_t>(*scalar_lookup(model, kase)("g.nx")), 4);
  EXPECT_FALSE(scalar_lookup(model, kase)("g.nz"));
}

TEST_F(CaseTest, FillsAreDeterministicInTheSeedAndDifferByArgument) {
  auto contents = [&](const std::string &u, std::uint64_t seed) { return buffer(read(stencil(u, "{}"), seed)->at(0), 3); };
  EXPECT_EQ(contents("{}", 1), contents("{}", 1));
  EXPECT_NE(contents("{}", 1), contents("{}", 2));
  EXPECT_EQ(contents(R"({"seed": 7})", 1), contents(R"({"seed": 7})", 2));
  EXPECT_NE(contents(R"({"seed": 7})", 1), contents(R"({"seed": 8})", 1));
  auto kase = read(stencil("{}", "{}"))->at(0);
  EXPECT_NE(buffer(kase, 3), buffer(kase, 4));
}

TEST_F(CaseTest, KnowsAllFills) {
  auto first = [&](const std::string &u) { return numbers<double>(buffer(read(stencil(u))->at(0), 3)); };
  EXPECT_EQ(first(R"({"fill": "index"})").at(5), 5);
  EXPECT_EQ(first(R"({"fill": "constant", "value": "inf"})").at(11), INFINITY);
  EXPECT_THAT(first(R"({"extent": 2, "values": [1, "-0x1p-1"]})"), ElementsAre(1, -0.5));
  EXPECT_THAT(first(R"({"extent": "max(g.ny, 2) - 1", "fill": "uniform", "low": 5, "high": 6})"), testing::SizeIs(2));
  EXPECT_THAT(first(R"({"extent": 2, "fill": "uniform", "low": 5, "high": 6})"),
              testing::Each(AllOf(testing::Ge(5), testing::Lt(6))));
  EXPECT_THAT(first(R"({"extent": 1, "bytes": "000000000000f03f"})"), ElementsAre(1));
  disk.files["/c/u.raw"] = std::string(12 * 8, '\0');
  EXPECT_THAT(first(R"({"file": "u.raw"})"), testing::SizeIs(12));
}

TEST_F(CaseTest, StructElementsAreFilledFieldByField) {
  Element particle{"P", "struct", 24, true, {{"x", "float", 8, 0, 2}, {"cell", "integer", 4, 16, 1}}};
  auto bytes = fill_buffer(particle, 2, Json{{"fill", "index"}}, 1);
  EXPECT_THAT(numbers<double>({bytes->begin() + 24, bytes->begin() + 40}), ElementsAre(1, 1));
  EXPECT_THAT(numbers<int>({bytes->begin() + 40, bytes->end()}), ElementsAre(1, 0)); // padding is zero
  auto one = fill_values(particle, Json::parse(R"([{"x": [1, 2], "cell": 3}])"));
  EXPECT_THAT(numbers<double>({one->begin(), one->begin() + 16}), ElementsAre(1, 2));
  EXPECT_FALSE(fill_values(particle, Json::parse(R"([{"y": 1}])")));
}

TEST_F(CaseTest, PointersCanShareABufferOrBeNull) {
  auto aliased = read(stencil("{}", R"({"alias": "u"})"))->at(0);
  EXPECT_EQ(aliased.arguments[3].buffer, aliased.arguments[4].buffer);
  EXPECT_EQ(aliased.buffers.size(), 1u);
  EXPECT_FALSE(read(stencil("null"))->at(0).arguments[3].buffer);

  disk.files["/c/b"] = std::string(200, 'b'), disk.files["/c/a"] = std::string(200, 'a');
  auto captured =
      read(stencil(R"({"buffer": 0, "offset": 8})", R"({"buffer": 0, "offset": 104})",
                   R"(, "origin": "capture", "call": 3, "buffers": [{"bytes": 200, "before": "b", "after": "a"}])"));
  ASSERT_TRUE(captured) << captured.error().message();
  EXPECT_EQ(captured->at(0).arguments[4].offset, 104);
  EXPECT_EQ(captured->at(0).buffers[0].after->at(0), 'a');
  EXPECT_EQ(captured->at(0).origin, "capture");
}

TEST_F(CaseTest, ReadsGlobalsResultsAndReferences) {
  model = fixture::product();
  model.parameters[1].passing = "reference";
  model.leaves[1] = fixture::pointer_leaf("alpha", 1, "const double *", fixture::float_element(), "read", Polynomial(1));
  auto kase = read(R"({"arguments": {"n": 2, "alpha": 0.5, "a": {"extent": "n * alpha * 8 / 2 - 0 * n"}, "b": {}, "c": {}},
                      "globals": {"calls": 41}, "result": "0x1p+3"})");
  EXPECT_FALSE(kase) << "an extent must be an integer";
  kase = read(
      R"({"arguments": {"n": 2, "alpha": 0.5, "a": {}, "b": {}, "c": {}}, "globals": {"calls": 41}, "left": {"calls": 42}, "result": "0x1p+3"})");
  ASSERT_TRUE(kase) << kase.error().message();
  EXPECT_EQ(kase->at(0).name, "case-1");
  EXPECT_THAT(numbers<int>(kase->at(0).arguments[5].bytes), ElementsAre(41));
  EXPECT_THAT(numbers<int>(kase->at(0).left[5]), ElementsAre(42));
  EXPECT_THAT(numbers<double>(*kase->at(0).result), ElementsAre(8));
  EXPECT_EQ(std::get<double>(*scalar_lookup(model, kase->at(0))("alpha")), 0.5);
  kase = read(R"({"arguments": {"n": 2, "alpha": 1, "a": {}, "b": {}, "c": {}}})");
  EXPECT_TRUE(kase->at(0).arguments[5].bytes.empty()) << "a global keeps its value";
}

TEST_F(CaseTest, ErrorsNameDocumentCaseAndArgument) {
  EXPECT_THAT(error(R"({"name": "a", "arguments": {}})"),
              AllOf(HasSubstr("/c/cases.json: case a: argument g.nx"), HasSubstr("no value")));
  EXPECT_THAT(error(R"({"arguments": {"h": 1}})"), AllOf(HasSubstr("argument h"), HasSubstr("g.nx, g.ny, g.alpha, u, next")));
  EXPECT_THAT(error(stencil(R"({"fil": "zero"})")), AllOf(HasSubstr("case small: argument u"), HasSubstr("\"fil\"")));
  EXPECT_THAT(error(stencil(R"({"fill": "ones"})")), HasSubstr("unknown fill \"ones\""));
  EXPECT_THAT(error(stencil("3")), HasSubstr("argument u: is a pointer"));
  EXPECT_THAT(error(stencil(R"({"extent": "g.nz"})")), HasSubstr("'g.nz' has no value"));
  EXPECT_THAT(error(stencil(R"({"extent": -1})")), HasSubstr("extent is -1"));
  EXPECT_THAT(error(stencil(R"({"extent": 1000000000000})")), HasSubstr("too large"));
  EXPECT_THAT(error(stencil(R"({"values": [1, 2]})")), HasSubstr("holds 2 elements and the kernel touches 12"));
  EXPECT_THAT(error(stencil(R"({"extent": 1, "values": [1, 2]})")), HasSubstr("extent of 1"));
  EXPECT_THAT(error(stencil(R"({"file": "none"})")), HasSubstr("/c/none"));
  EXPECT_THAT(error(stencil(R"({"buffer": 0})")), HasSubstr("no buffer 0"));
  EXPECT_THAT(error(stencil(R"({"alias": "g.nx"})")), HasSubstr("'g.nx'"));
  EXPECT_THAT(error(stencil("{}") + "," + stencil("{}")), HasSubstr("two cases"));
  EXPECT_THAT(error(R"({"name": "a", "arguments": {"g.nx": 3000000000, "g.ny": 1, "g.alpha": 1, "u": null, "next": null}})"),
              AllOf(HasSubstr("argument g.nx"), HasSubstr("does not fit int")));
  EXPECT_THAT(error(R"({"name": "a", "weight": "x"})"), HasSubstr("case a: not as expected"));
  model.leaves[3].extent.reset();
  EXPECT_THAT(error(stencil("{}")), HasSubstr("cannot be told"));
  disk.files["/c/cases.json"] = R"({"format": "kopt-cases", "version": 1, "kernel": "other", "cases": []})";
  EXPECT_THAT(read_cases(disk, "/c/cases.json", model).error().message(), HasSubstr("\"other\""));
}

TEST(ScalarTest, TakesNumbersOfEveryKind) {
  auto hex = [](const Json &json, const Element &element) {
    auto bytes = scalar_from_json(json, element);
    std::string text;
    if (bytes)
      for (auto byte : *bytes) text += fmt::format("{:02x}", byte);
    return bytes ? text : bytes.error().what;
  };
  Element byte{"unsigned char", "integer", 1, false, {}}, huge{"unsigned long", "integer", 8, false, {}},
      flag{"bool", "bool", 1, false, {}};
  EXPECT_EQ(hex(255, byte), "ff");
  EXPECT_EQ(hex(2.0, byte), "02");
  EXPECT_EQ(hex("0x1f", byte), "1f");
  EXPECT_EQ(hex(true, flag), "01");
  EXPECT_EQ(hex(18446744073709551615u, huge), "ffffffffffffffff");
  EXPECT_EQ(hex("18446744073709551615", huge), "ffffffffffffffff");
  EXPECT_EQ(hex(-2, {"long", "integer", 8, true, {}}), "feffffffffffffff");
  EXPECT_EQ(hex(1, {"float", "float", 4, true, {}}), "0000803f");
  EXPECT_EQ(hex("0x1.000002p+0", {"float", "float", 4, true, {}}), "0100803f");
  EXPECT_EQ(hex("-inf", {"double", "float", 8, true, {}}), "000000000000f0ff");
  for (const Json &bad : {Json(256), Json(-1), Json(0.5), Json("x"), Json("")})
    EXPECT_FALSE(scalar_from_json(bad, byte)) << bad;
  EXPECT_FALSE(scalar_from_json(2, flag));
  EXPECT_FALSE(scalar_from_json("1.5x", {"double", "float", 8, true, {}}));
  EXPECT_FALSE(bytes_from_hex("0"));
  EXPECT_FALSE(bytes_from_hex("0g"));
}

TEST(ScalarTest, ReadsValuesBack) {
  Bytes bytes = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  auto integer = [&](int size, bool is_signed) { return scalar_value(bytes.data(), {"", "integer", size, is_signed, {}}); };
  EXPECT_EQ(std::get<std::int64_t>(*integer(1, true)), -1);
  EXPECT_EQ(std::get<std::int64_t>(*integer(2, false)), 65535);
  EXPECT_EQ(std::get<std::int64_t>(*integer(8, true)), -1);
  EXPECT_FALSE(integer(8, false)) << "more than a signed 64-bit integer holds";
  EXPECT_FALSE(scalar_value(bytes.data(), {"S", "struct", 8, true, {}}));
}

} // namespace
} // namespace kopt
