#include "core/options.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

using Map = std::map<std::string, std::string>;

Options::Environment environment_of(Map variables) {
  return [variables = std::move(variables)](const std::string &name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Options, TheStrongestLayerWins) {
  const Map flags = {{"seed", "1"}};
  const auto environment = environment_of({{"KOPT_SEED", "2"}, {"KOPT_BUDGET_SECONDS", "20"}});
  const Json file = {{"seed", 3}, {"budget_seconds", 30}, {"budget_evaluations", 33}};
  const Map spec = {{"seed", "4"}, {"budget_seconds", "40"}, {"budget_evaluations", "44"}, {"min_speedup", "1.4"}};
  const auto options = Options::resolve(flags, environment, file, spec);
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->integer("seed"), 1);
  EXPECT_EQ(options->number("budget_seconds"), 20);
  EXPECT_EQ(options->integer("budget_evaluations"), 33);
  EXPECT_EQ(options->number("min_speedup"), 1.4);
  EXPECT_EQ(options->source("budget_evaluations"), "kopt.json");
  EXPECT_EQ(options->source("strategy"), "default");
}

TEST(Options, EveryOptionIsAnEnvironmentVariable) {
  for (const OptionInfo &info : option_table()) {
    std::string name = "KOPT_" + info.name;
    for (char &c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::string value = !info.choices.empty() ? info.choices.back() : info.kind == "boolean" ? "ON" : "3";
    const auto options = Options::resolve({}, environment_of({{name, value}}), Json(), {});
    ASSERT_TRUE(options) << info.name;
    EXPECT_EQ(options->word(info.name), value);
    EXPECT_EQ(options->source(info.name), "environment");
  }
}

TEST(Options, AWordThatIsNoChoiceIsRefused) {
  const auto options = Options::resolve({{"strategy", "magic"}}, environment_of({}), Json(), {});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().message(), "flag --strategy: magic is not a value of strategy; give sweep");
  EXPECT_FALSE(Options::resolve({}, environment_of({{"KOPT_PROPOSE", "rules,gpt"}}), Json(), {}));
  EXPECT_FALSE(Options::resolve({}, environment_of({}), Json(), {{"propose", ","}}));
  EXPECT_TRUE(Options::resolve({}, environment_of({}), Json{{"propose", {"rules"}}}, {}));
}

TEST(Options, AWrongValueNamesItsLayer) {
  const auto options = Options::resolve({}, environment_of({{"KOPT_BUDGET_EVALUATIONS", "many"}}), Json(), {});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().where, "KOPT_BUDGET_EVALUATIONS in the environment");
  EXPECT_FALSE(Options::resolve({}, environment_of({}), Json{{"bugdet_seconds", 1}}, {}));
}

} // namespace
} // namespace kopt
