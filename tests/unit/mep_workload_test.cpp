#include "mep/workload.h"

#include "core/scalar.h"
#include "model_fixture.h"

#include <cstring>
#include <gmock/gmock.h>

namespace kopt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class WorkloadTest : public testing::Test {
protected:
  void SetUp() override {
    spec.work_dir = "/build/kopt/heat";
    spec.directory = "/src";
  }

  static std::string document(const std::string &kernel, const std::string &name, const std::string &more = "") {
    return R"({"format": "kopt-cases", "version": 1, )" + kernel + R"("cases": [{"name": ")" + name +
           R"(", "arguments": {"g.nx": 4, "g.ny": 3, "g.alpha": 2, "u": {"low": 5, "high": 6}, "next": {"fill": "zero"}})" +
           more + "}]}";
  }

  std::vector<std::string> names() {
    auto cases = load_workload(disk, spec, model);
    EXPECT_TRUE(cases) << cases.error().message();
    std::vector<std::string> list;
    if (cases)
      for (const auto &kase : *cases)
        if (kase.origin != "sized") list.push_back(kase.name + (kase.held_out ? " held out" : ""));
    return list;
  }

  static std::vector<double> numbers(const Case &kase, int buffer) {
    const auto &bytes = kase.buffers.at(static_cast<std::size_t>(buffer)).before;
    std::vector<double> values(bytes.size() / 8);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  MemoryDisk disk;
  Spec spec;
  Model model = fixture::stencil();
};

TEST_F(WorkloadTest, GathersCapturedUserAndHeldOutCases) {
  disk.files["/build/kopt/heat/heat.diffuse/cases/cases.json"] = document("\"kernel\": \"heat::diffuse\", ", "a");
  disk.files["/src/user.json"] = document("", "a");
  disk.files["/src/other.json"] = document("\"kernel\": \"other\", ", "c");
  disk.files["/abs/held.json"] = document("", "h");
  spec.cases = {"user.json", "/src/other.json"};
  spec.held_out = {"/abs/held.json"};
  EXPECT_THAT(names(), ElementsAre("a", "a-2", "h held out"));
}

TEST_F(WorkloadTest, DerivesHeldOutCasesWhereThereAreNone) {
  disk.files["/src/user.json"] = document("", "a");
  spec.cases = {"user.json"};
  EXPECT_THAT(names(), ElementsAre("a", "a-derived held out"));
  auto cases = *load_workload(disk, spec, model);
  EXPECT_EQ(cases[1].origin, "derived");
  EXPECT_EQ(cases[1].arguments[0].bytes, cases[0].arguments[0].bytes);
  EXPECT_NE(numbers(cases[1], 0), numbers(cases[0], 0));
  EXPECT_THAT(numbers(cases[1], 0), testing::Each(testing::AllOf(testing::Ge(5), testing::Le(6))));
  EXPECT_EQ(numbers(cases[1], 1), numbers(cases[0], 1));
  EXPECT_EQ(numbers((*load_workload(disk, spec, model))[1], 0), numbers(cases[1], 0)) << "the same in each run";
  EXPECT_NE(numbers(derived_case(model, cases[0], 2), 0), numbers(cases[1], 0));
}

TEST_F(WorkloadTest, MakesCasesAtOtherSizesOfTheHeaviestTimedCase) {
  disk.files["/src/light.json"] = document("", "light", R"(, "weight": 0.2)");
  disk.files["/src/heavy.json"] = document("", "heavy", R"(, "weight": 0.7)");
  disk.files["/src/held.json"] = document("", "held", R"(, "weight": 9)");
  spec.cases = {"light.json", "heavy.json"};
  spec.held_out = {"held.json"};
  auto cases = *load_workload(disk, spec, model);
  int sized = 0;
  for (const auto &kase : cases) {
    if (kase.origin != "sized") continue;
    ++sized;
    EXPECT_TRUE(kase.held_out);
    EXPECT_THAT(kase.name, testing::StartsWith("heavy-sized-"));
  }
  EXPECT_GT(sized, 3);
  EXPECT_EQ(why_no_sizes(model, cases), "");
  model.leaves[3].extent.reset();
  disk.files["/src/light.json"] = disk.files["/src/heavy.json"] = disk.files["/src/held.json"] =
      R"({"format": "kopt-cases", "version": 1, "cases": [{"arguments":
    {"g.nx": 4, "g.ny": 3, "g.alpha": 2, "u": {"extent": 12}, "next": {"fill": "zero"}}}]})";
  EXPECT_THAT(why_no_sizes(model, *load_workload(disk, spec, model)), HasSubstr("'u'"));
}

TEST_F(WorkloadTest, DerivedCasesKeepIntegersAndForgetResults) {
  Element particle{"P", "struct", 16, true, {{"x", "float", 8, 0, 1}, {"cell", "integer", 4, 8, 1}}};
  model.leaves[3].element = particle;
  model.leaves[4].element = fixture::integer_element("long", 8);
  Case kase;
  kase.name = "a";
  kase.arguments.resize(5);
  kase.arguments[3].buffer = 0, kase.arguments[3].offset = 8; // the object starts eight bytes ahead of the pointer
  kase.arguments[4].buffer = 1;
  kase.buffers.resize(2);
  std::vector<double> contents = {1, 2, 3, 4, 5, 6, 7};
  kase.buffers[0].before.resize(56);
  std::memcpy(kase.buffers[0].before.data(), contents.data(), 56);
  kase.buffers[1].before.assign(16, 1);
  kase.buffers[0].after = kase.buffers[0].before;
  kase.result = Bytes{1};
  auto derived = derived_case(model, kase, 1);
  auto fresh = numbers(derived, 0);
  EXPECT_THAT((std::vector<double>{fresh[0], fresh[2], fresh[4], fresh[6]}), ElementsAre(1, 3, 5, 7)) << "what is not x stays";
  EXPECT_NE(fresh[1], 2);
  EXPECT_TRUE(fresh[1] >= 2 && fresh[1] <= 6);
  EXPECT_EQ(derived.buffers[1].before, kase.buffers[1].before);
  EXPECT_FALSE(derived.buffers[0].after || derived.result);
}

TEST_F(WorkloadTest, SaysWhenThereIsNothingToRunOrToTime) {
  EXPECT_THAT(load_workload(disk, spec, model).error().message(), HasSubstr("kopt capture"));
  disk.files["/src/held.json"] = document("", "h");
  spec.held_out = {"held.json"};
  EXPECT_THAT(load_workload(disk, spec, model).error().message(), HasSubstr("every case is held out"));
  spec.cases = {"none.json"};
  EXPECT_THAT(load_workload(disk, spec, model).error().message(), HasSubstr("/src/none.json"));
}

} // namespace
} // namespace kopt
