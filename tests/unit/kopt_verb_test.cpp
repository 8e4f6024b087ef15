#include "kopt/verb.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

struct Verbs : testing::Test {
  MemoryDisk disk;
  RealProcesses processes;
  FakeClock clock;
  std::map<std::string, std::string> variables;
  Context context{disk, processes, clock,
                  [this](const std::string &name) -> std::optional<std::string> {
                    const auto found = variables.find(name);
                    return found == variables.end() ? std::nullopt : std::optional(found->second);
                  },
                  "/bin/kopt"};
  Spec spec = [] {
    Spec made;
    made.path = "/build/spec.json";
    made.target = "app";
    made.directory = "/source";
    made.work_dir = "/build/kopt/app";
    made.kernels = {"ns::a", "b"};
    made.options = {{"tolerance", "1e-3"}, {"seed", "4"}};
    return made;
  }();
};

TEST_F(Verbs, ReadTheFileBesideTheCall) {
  disk.files["/source/kopt.json"] = R"({"tolerance": 1e-4, "seed": 3, "budget_seconds": 30})";
  variables["KOPT_SEED"] = "2";
  const auto options = options_of(context, spec, {{"budget_seconds", "10"}});
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->number("tolerance"), 1e-4);
  EXPECT_EQ(options->integer("seed"), 2);
  EXPECT_EQ(options->number("budget_seconds"), 10);
}

TEST_F(Verbs, NeedNoFileButABrokenOneIsAnError) {
  const auto options = options_of(context, spec);
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->number("tolerance"), 1e-3);
  disk.files["/source/kopt.json"] = "{";
  const auto broken = options_of(context, spec);
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message().find("/source/kopt.json"), std::string::npos) << broken.error().message();
}

TEST_F(Verbs, ChooseKernelsOfTheTargetAlone) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(chosen_kernels(spec, {}).value(), (Names{"ns::a", "b"}));
  EXPECT_EQ(chosen_kernels(spec, {"b"}).value(), Names{"b"});
  const auto unknown = chosen_kernels(spec, {"b", "c"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message().find("no kernel c in kopt_optimize_target(app)"), std::string::npos);
}

TEST_F(Verbs, SayHowAModelIsMade) {
  const auto model = model_of(context, spec, "ns::a");
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().message().find("kopt-extract"), std::string::npos) << model.error().message();
}

TEST_F(Verbs, SayWhyAKernelHasNoModel) {
  ExtractionResult result;
  result.kernel = "ns::a";
  result.error = Error{"it takes a double **", "a.cpp:3", "pass a plain pointer"};
  ASSERT_TRUE(write_extraction(disk, spec, result));
  const auto model = model_of(context, spec, "ns::a");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message(), "a.cpp:3: it takes a double **; pass a plain pointer");
}

TEST_F(Verbs, SayWhereASpecComesFrom) {
  const auto none = read_spec(disk, "/build/none.json");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message().find("cmake -S"), std::string::npos) << none.error().message();
}

} // namespace
} // namespace kopt
