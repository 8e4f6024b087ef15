// Compiles and runs dispatches: the generated text is right when compilers take it under strict warnings and the right body
// runs.
#include "mep/dispatch.h"

#include "core/disk.h"
#include "core/process.h"
#include "model_fixture.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace kopt {
namespace {

using testing::HasSubstr;

class DispatchTest : public testing::Test {
protected:
  void TearDown() override { fs::remove_all(folder); }

  // The text of a source with the dispatch in it, as `kopt integrate` makes it.
  static std::string generated(const std::string &original, DispatchInput input, const std::string &anchor) {
    input.anchor_text = anchor;
    auto edit = dispatch_edit(input);
    EXPECT_TRUE(edit) << edit.error().message();
    if (!edit) return "";
    auto at = static_cast<long>(original.find(anchor));
    return dispatch_prelude() + dispatch_prelude() +
           apply_edit(original, at, static_cast<long>(anchor.size()), "kernel.cpp", *edit);
  }

  // Exit code of the program, whose runtime says `state` in kopt_enter(); -1 if it does not compile, with the output in
  // `diagnosis`.
  int run(const std::string &text, const std::vector<std::string> &flags = {}, const std::string &compiler = "g++") {
    auto stem = folder / "program";
    auto source = stem.string() + ".cpp";
    std::string runtime =
        "unsigned taken = 0;\n"
        "extern \"C\" int kopt_enter(kopt_site *site) noexcept { ++site->calls; return 1; }\n"
        "extern \"C\" void kopt_leave(kopt_site *, unsigned long long, int took) noexcept { if (took) ++taken; }\n"
        "extern \"C\" unsigned long long kopt_now(void) noexcept { return 0; }\n";
    EXPECT_TRUE(RealDisk().write(source, text + "\n#line 1 \"runtime\"\n" + runtime + "\nint main() { return test(); }\n"));
    std::vector<std::string> words = {compiler, "-O1", "-o", stem, source};
    words.insert(words.end(), flags.begin(), flags.end());
    RealProcesses processes;
    auto built = processes.run({words, {}, {}, {}, {}, false});
    diagnosis = built->errors;
    if (!built->succeeded()) return -1;
    return processes.run({{stem}, {}, {}, {}, {}, false})->exit_code;
  }

  static DispatchInput simple(const std::string &variant, const std::string &plan = "") {
    DispatchInput input;
    input.slug = "ns.f", input.target = "app", input.namespaces = {"ns"}, input.return_type = "int";
    input.parameters = {{"n", "int", "value", "int", 4, 4, {0}},
                        {"p", "const double *", "value", "const double *", 8, 8, {1}},
                        {"q", "double *", "value", "double *", 8, 8, {2}}};
    input.leaves = {fixture::scalar_leaf("n", 0, fixture::integer_element()),
                    fixture::pointer_leaf("p", 1, "const double *", fixture::float_element(), "read", {}),
                    fixture::pointer_leaf("q", 2, "double *", fixture::float_element(), "write", {})};
    input.plan = *Plan::parse(plan, "plan.txt");
    input.variant_text = variant, input.variant_name = "variant.cpp";
    return input;
  }

  std::string diagnosis;
  fs::path folder = fs::path(testing::TempDir()) / ("dispatch-" + std::to_string(getpid()));
};

const char *const anchor = "int f(int n, const double *p, double *q) {";
const char *const body = "\n  (void)p; (void)q; return n; }\n";

std::string in_namespace(const std::string &kernel) {
  return "namespace ns {\n" + kernel + "}\nusing ns::f;\nextern unsigned taken;\n";
}

TEST_F(DispatchTest, RunsTheVariantWhileItsGuardsHold) {
  auto input = simple("int kopt_variant(int n, const double *, double *) { return n + 100; }",
                      "require n > 0 and 12 / n == 4\nrequire disjoint(p[0 : n], q[0 : n])\nrequire aligned(p, 8)\n");
  std::string test = "int test() { double a[20];\n"
                     "  if (f(3, a, a + 3) != 103) return 1;\n" // all hold
                     "  if (f(3, a, a + 2) != 3) return 2;\n"   // ranges overlap
                     "  if (f(2, a, a + 9) != 2) return 3;\n"   // wrong quotient
                     "  if (f(0, a, a + 9) != 0) return 4;\n"   // division by zero is not reached
                     "  if (taken != 1) return 5;\n"
                     "  return 0; }\n";
  EXPECT_EQ(run(generated(in_namespace(anchor + std::string(body)) + test, input, anchor)), 0) << diagnosis;
}

TEST_F(DispatchTest, AsksForFeaturesOfTheProcessor) {
  const auto text = [&](const std::string &feature) {
    const auto input = simple("__attribute__((target(\"sse3\"))) int kopt_variant(int, const double *, double *) { return 1; }",
                              "require cpu(" + feature + ")\n");
    return generated(in_namespace(anchor + std::string(body)) + "int test() { return f(0, nullptr, nullptr); }\n", input,
                     anchor);
  };
#if defined(__x86_64__)
  EXPECT_EQ(run(text("sse3")), 1) << diagnosis;
  EXPECT_EQ(run(text("avx512vnni")), __builtin_cpu_supports("avx512vnni") ? 1 : 0) << diagnosis;
#else
  EXPECT_EQ(run(text("sse3")), 0) << diagnosis;
#endif
}

TEST_F(DispatchTest, OverflowAndDivisionByZeroFailAGuard) {
  auto test = [&](const std::string &plan, const std::string &n) {
    auto input = simple("int kopt_variant(int, const double *, double *) { return 100; }", plan);
    return run(generated(in_namespace(anchor + std::string(body)) + "int test() { f(" + n +
                             ", nullptr, nullptr); return int(taken); }\n",
                         input, anchor));
  };
  EXPECT_EQ(test("require n * n * n > 0", "1000000"), 1) << diagnosis;
  EXPECT_EQ(test("require n * n * n * n > 0 or n > 0", "1000000"), 0);
  EXPECT_EQ(test("require 1 % n == 0 or n == 0", "0"), 0);
  EXPECT_EQ(test("require n / 2.0 > 1.4 and min(n, 2) == 2 and max(n, 2.5) == 3 and ceil_div(n, 2) == 2 and -n < 0", "3"), 1)
      << diagnosis;
}

TEST_F(DispatchTest, IsCleanUnderStrictWarningsOfBothCompilersAndAllStandards) {
  auto input = simple("#ifndef KOPT_TILE\n#define KOPT_TILE 8\n#endif\n"
                      "static int unused(long n) { return n; }\n"
                      "int kopt_variant(int n, const double *__restrict__ p, double *__restrict__ q) { int n2 = KOPT_TILE; { "
                      "int n = n2; return n; } }\n",
                      "require n >= 0 and n * 1.5 < 100\nrequire disjoint(p[0 : n], q[0 : n])\n");
  input.macros_chosen = {{"KOPT_TILE", "32"}};
  auto text = generated(in_namespace(anchor + std::string(body)) +
                            "#ifdef KOPT_TILE\n#error macro left behind\n#endif\nint test();\nint test() { return f(0, "
                            "nullptr, nullptr) == 32 ? 0 : 1; }\n",
                        input, anchor);
  text = text.substr(0, text.find("#line 1 \"kernel.cpp\"")) + "namespace ns { int f(int n, const double *p, double *q); }\n" +
         text.substr(text.find("#line 1 \"kernel.cpp\""));
  for (const char *standard : {"-std=c++11", "-std=c++14", "-std=gnu++17", "-std=c++20"})
    EXPECT_EQ(
        run(text, {standard, "-Werror", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion",
                   "-Wold-style-cast", "-Wuseless-cast", "-Wunused-macros", "-Wundef", "-Wdouble-promotion", "-Wfloat-equal"}),
        0)
        << standard << diagnosis.substr(0, 2000);
  if (RealProcesses().run({{"clang++", "--version"}, {}, {}, {}, {}, false})) {
    EXPECT_EQ(run(text,
                  {"-std=c++11", "-Werror", "-Weverything", "-Wno-c++98-compat", "-Wno-c++98-compat-pedantic",
                   "-Wno-missing-prototypes", "-Wno-missing-variable-declarations"},
                  "clang++"),
              0)
        << diagnosis.substr(0, 2000);
  }
}

TEST_F(DispatchTest, MacrosOfTheVariantDoNotTouchTheUsers) {
  auto input = simple("#define TILE 5\n#undef KEEP\nint kopt_variant(int, const double *, double *) { return TILE; }\n");
  std::string original = "#define TILE 1\n#define KEEP 2\n" + in_namespace(anchor + std::string(body)) +
                         "int test() { return f(0, nullptr, nullptr) == 5 && TILE == 1 && KEEP == 2 ? 0 : 1; }\n";
  EXPECT_EQ(run(generated(original, input, anchor)), 0) << diagnosis;
}

TEST_F(DispatchTest, AChangedCommandLineMacroTurnsItOff) {
  auto input = simple("int kopt_variant(int, const double *, double *) { return SCALE + 100; }\n");
  input.command_line_macros = {{"SCALE", "2"}, {"NAME", "\"a b\""}};
  auto text =
      generated(in_namespace(anchor + std::string(body)) + "int test() { return f(0, nullptr, nullptr); }\n", input, anchor);
  EXPECT_EQ(run(text, {"-DSCALE=2", "-DNAME=\"a b\""}), 102) << diagnosis;
  EXPECT_EQ(run(text, {"-DSCALE=3", "-DNAME=\"a b\""}), 0) << diagnosis;
  EXPECT_EQ(run(text, {"-DSCALE=2", "-DNAME=\"a c\""}), 0) << diagnosis;
  EXPECT_EQ(run(text, {"-DNAME=\"a b\""}), 0) << diagnosis; // the variant would not even compile
}

TEST_F(DispatchTest, HandlesLinkageNamespacesAndReferences) {
  DispatchInput input;
  input.slug = "f", input.target = "app", input.return_type = "double &";
  input.parameters = {{"s", "const S &", "reference", "S", 8, 4, {0, 1}},
                      {"sum", "double &", "reference", "double", 8, 8, {2}},
                      {"big", "unsigned long", "value", "unsigned long", 8, 8, {3}}};
  input.leaves = {fixture::scalar_leaf("s.a", 0, fixture::integer_element()),
                  fixture::scalar_leaf("s.b", 0, fixture::float_element("float", 4), 4),
                  fixture::pointer_leaf("sum", 1, "double *", fixture::float_element(), "readwrite", Polynomial(1)),
                  fixture::scalar_leaf("big", 2, fixture::integer_element("unsigned long", 8)),
                  fixture::global_leaf("count", "ns::(anonymous namespace)::count", fixture::integer_element(), "read")};
  input.plan = *Plan::parse(
      "require s.a == 1 and s.b > 0.5 and sum < 10 and count == 7 and big >= 0\nrequire aligned(sum, 8)\n", "plan");
  input.variant_text = "template <class T> T twice(T x) { return 2 * x; }\ndouble &kopt_variant(const S &s, double &sum, "
                       "unsigned long) { sum = twice(sum); return sum; }\n";
  std::string start = "double &f(const S &s, double &sum, unsigned long big) noexcept {";
  std::string test =
      "int test() { double x = 4; f({1, 1.f}, x, 1) += 1; if (x != 9) return 1; f({2, 1.f}, x, 1); if (x != 9) return 2;\n"
      "  f({1, 1.f}, x, ~0ul); return x == 9 && taken == 1 ? 0 : 3; }\n";
  std::string before = "struct S { int a; float b; };\nnamespace ns { namespace { int count = 7; } }\nextern unsigned taken;\n";
  EXPECT_EQ(
      run(generated(before + "extern \"C\" {\n" + start + " (void)s; (void)big; return sum; }\n}\n" + test, input, start)), 0)
      << diagnosis;
  input.slug = "in.f", input.namespaces = {"in"};
  std::string outside = "double &in::f(const S &s, double &sum, unsigned long big) noexcept {";
  EXPECT_EQ(run(generated(before + "namespace in { double &f(const S &s, double &sum, unsigned long big) noexcept; }\n" +
                              outside + " (void)s; (void)big; return sum; }\nusing in::f;\n" + test,
                          input, outside)),
            0)
      << diagnosis;
}

TEST_F(DispatchTest, RefusesWhatCannotBeDispatched) {
  auto unnamed = simple("");
  unnamed.parameters[1].name = "";
  EXPECT_THAT(dispatch_edit(unnamed).error().message(), HasSubstr("no name"));
  auto constant = simple("");
  constant.anchor_text = "constexpr int f(int n) {";
  EXPECT_THAT(dispatch_edit(constant).error().message(), HasSubstr("constexpr"));
  EXPECT_THAT(dispatch_edit(simple("", "require m > 1")).error().message(), HasSubstr("'m', which is not a scalar"));
  EXPECT_THAT(dispatch_edit(simple("", "require p > 1")).error().message(), HasSubstr("'p', which is not a scalar"));
  EXPECT_THAT(dispatch_edit(simple("", "require disjoint(n[0 : 1], p[0 : 1])")).error().message(),
              HasSubstr("'n', which is not a pointer"));
}

TEST_F(DispatchTest, ErrorsInTheVariantAndTheOriginalNameTheirOwnLines) {
  auto input = simple("\nint kopt_variant(int, const double *, double *) { return oops; }\n");
  EXPECT_EQ(run(generated(in_namespace(anchor + std::string("\n  return wrong; }\n")), input, anchor)), -1);
  EXPECT_THAT(diagnosis, HasSubstr("variant.cpp:2:"));
  EXPECT_THAT(diagnosis, HasSubstr("kernel.cpp:3:"));
}

} // namespace
} // namespace kopt
