// Dispatches in templates: compiled under strict warnings in each standard, and run: each instantiation runs its own variant,
// those without one the original.
#include "mep/dispatch.h"

#include "core/disk.h"
#include "core/process.h"
#include "mep/header.h"
#include "mep/probe.h"
#include "model_fixture.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace kopt {
namespace {

using testing::HasSubstr;
using testing::Not;

const char *const runtime =
    "extern \"C\" int kopt_enter(kopt_site *site) noexcept { ++site->calls; return 1; }\n"
    "extern \"C\" void kopt_leave(kopt_site *, unsigned long long, int took) noexcept { if (took) ++taken; "
    "}\nextern \"C\" unsigned long long kopt_now(void) noexcept { return 0; }\n";
const std::vector<std::string> strict = {"-Wall", "-Wextra", "-Werror", "-Wpedantic", "-Wshadow"};

class InstantiationTest : public testing::Test {
protected:
  void TearDown() override { fs::remove_all(folder); }

  static DispatchInput instance(const std::string &type, const std::string &number, const std::string &variant,
                                const std::string &plan = "") {
    DispatchInput input;
    input.slug = "ns.f-" + type + "-" + number, input.target = "app", input.namespaces = {"ns"}, input.return_type = type;
    input.parameters = {{"n", "int", "value", "int", 4, 4, {0}}, {"p", "const " + type + " *", "value", "", 8, 8, {1}}};
    input.leaves = {fixture::scalar_leaf("n", 0, fixture::integer_element()),
                    fixture::pointer_leaf("p", 1, "const " + type + " *", fixture::float_element(type, type == "float" ? 4 : 8),
                                          "read", {})};
    input.plan = *Plan::parse(plan, "plan.txt");
    input.variant_text = variant, input.variant_name = "variant.cpp";
    input.template_arguments = {{"T", "type", "", type}, {"N", "value", "int", number}};
    input.anchor_text = anchor;
    return input;
  }

  // Exit code of the program with main() calling test(); -1 if it does not compile.
  int run(const std::string &text, const std::string &standard) {
    const auto source = folder / "program.cpp", program = folder / "program";
    EXPECT_TRUE(RealDisk().write(source, text));
    std::vector<std::string> words = {"g++", standard, "-O1", "-o", program, source};
    words.insert(words.end(), strict.begin(), strict.end());
    RealProcesses processes;
    const auto built = processes.run({words, {}, {}, {}, {}, false});
    diagnosis = built->errors.substr(0, 3000);
    return built->succeeded() ? processes.run({{program}, {}, {}, {}, {}, false})->exit_code : -1;
  }

  static inline const std::string anchor = "template <typename T, int N>\nT f(int n, const T *p) {";
  fs::path folder = fs::path(testing::TempDir()) / ("instantiation-" + std::to_string(getpid()));
  std::string diagnosis;
};

TEST_F(InstantiationTest, EachRunsItsOwnVariantInEveryStandard) {
  const std::string original = "namespace ns {\n" + anchor + "\n  return p[n] + T(N);\n}\n}\nstatic unsigned taken;\n";
  const auto one =
      instance("float", "4", "static float kopt_variant(int n, const float *p) { T x = p[n]; return x + N * 100; }\n",
               "require n > 0\nrequire aligned(p, 4)\n");
  const auto two = instance("double", "4", "static double kopt_variant(int n, const T *p) { return p[n] + N * 1000; }\n");
  Edits edits;
  const long at = static_cast<long>(original.find(anchor)), length = static_cast<long>(anchor.size());
  for (const auto &input : {one, two}) {
    const auto edit = dispatch_edit(input);
    ASSERT_TRUE(edit) << edit.error().message();
    edits.add(at, length, *edit);
  }
  const std::string test =
      "int main() {\n  const float a[2] = {1, 2};\n  const double b[2] = {1, 2};\n  const long c[2] = {1, 2};\n"
      "  if (int(ns::f<float, 4>(1, a)) != 402) return 1;\n"   // its variant
      "  if (int(ns::f<float, 4>(0, a)) != 5) return 2;\n"     // a guard fails
      "  if (int(ns::f<float, 5>(1, a)) != 7) return 3;\n"     // another number
      "  if (int(ns::f<double, 4>(1, b)) != 4002) return 4;\n" // the other variant
      "  if (int(ns::f<long, 4>(1, c)) != 6) return 5;\n"      // another type
      "  return taken == 2 ? 0 : 6;\n}\n";
  const std::string text = dispatch_prelude() + edits.apply(original, "kernel.cpp") + runtime + test;
  for (const char *standard : {"-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"})
    EXPECT_EQ(run(text, standard), 0) << standard << diagnosis;
  EXPECT_THAT(diagnosis, Not(HasSubstr("warning")));
}

TEST_F(InstantiationTest, NothingMayBeReturnedAndReferencesMay) {
  const std::string head = "template <class T> void g(T &x) {", other = "template <class T> T &h(T &x) {";
  const std::string original = "static unsigned taken;\n" + head + " x = 1; }\n" + other + " x = 1; return x; }\n";
  Edits edits;
  for (const auto &[anchor_text, returned] :
       {std::pair(head, std::string("void")), std::pair(other, std::string("double &"))}) {
    DispatchInput input = instance("double", "0", "");
    input.slug = returned == "void" ? "g" : "h", input.namespaces = {}, input.return_type = returned;
    input.parameters = {{"x", "double &", "reference", "double", 8, 8, {0}}};
    input.leaves = {fixture::pointer_leaf("x", 0, "double *", fixture::float_element(), "readwrite", Polynomial(1))};
    input.template_arguments = {{"T", "type", "", "double"}};
    input.variant_text = returned == "void" ? "static void kopt_variant(double &x) { x = 2; }\n"
                                            : "static double &kopt_variant(double &x) { x = 3; return x; }\n";
    input.anchor_text = anchor_text;
    const auto edit = dispatch_edit(input);
    ASSERT_TRUE(edit) << edit.error().message();
    edits.add(static_cast<long>(original.find(anchor_text)), static_cast<long>(anchor_text.size()), *edit);
  }
  const std::string test =
      "int main() {\n  double x = 0;\n  int i = 0;\n  g(x);\n  if (x < 2) return 1;\n  g(i);\n  if (i != 1) return 2;\n"
      "  if (&h(x) != &x || x < 3) return 3;\n  return &h(i) == &i && i == 1 && taken == 2 ? 0 : 4;\n}\n";
  const std::string text = dispatch_prelude() + edits.apply(original, "kernel.cpp") + runtime + test;
  for (const char *standard : {"-std=c++11", "-std=c++20"}) EXPECT_EQ(run(text, standard), 0) << standard << diagnosis;
}

TEST_F(InstantiationTest, AProbeIsOfItsInstantiationAlone) {
  Model model;
  model.name = "ns::f<float,4>", model.slug = "ns.f-float-4", model.callee = "f<float, 4>", model.namespaces = {"ns"};
  const auto input = instance("float", "4", "");
  model.parameters = input.parameters, model.leaves = input.leaves, model.return_type = "float";
  model.template_arguments = input.template_arguments;
  model.file = "/src/kernel.cpp", model.sources = {model.file};
  const std::string original = "namespace ns {\n" + anchor + "\n  return p[n] + T(N);\n}\n}\n";
  model.anchor = {model.file, static_cast<long>(original.find(anchor)), static_cast<long>(anchor.size()), 2, "", anchor};
  const auto source = instrument(MemoryDisk(), original, model.file, {model});
  ASSERT_TRUE(source.problems.empty()) << source.problems.front().message();
  const std::string test =
      "static int entered, left, exited;\n"
      "extern \"C\" void kopt_probe_enter(kopt_probe_visit *visit) { visit->on = entered++ == 0 ? 1 : 2; }\n"
      "extern \"C\" void kopt_probe_leave(kopt_probe_visit *visit, const volatile void *, unsigned long long) { visit->on = 0; "
      "++left; "
      "}\nextern \"C\" void kopt_probe_exit(kopt_probe_visit *visit) { visit->on = 0; ++exited; }\n"
      "int main() {\n  const float a[2] = {1, 2};\n  const double b[2] = {1, 2};\n"
      "  if (int(ns::f<double, 4>(1, b)) != 6 || int(ns::f<float, 3>(1, a)) != 5 || entered) return 1;\n"
      "  return int(ns::f<float, 4>(1, a)) == 6 && entered == 2 && left == 1 && exited == 1 ? 0 : 2;\n}\n";
  for (const char *standard : {"-std=c++11", "-std=c++20"})
    EXPECT_EQ(run(source.text + test, standard), 0) << standard << diagnosis;
}

} // namespace
} // namespace kopt
