#include "evaluate/inspection.h"

#include "evaluate/token.h"
#include "evaluate_fixture.h"

#include <gmock/gmock.h>

namespace kopt::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> words(const std::string &text) {
  std::vector<std::string> texts;
  for (const Token &token : tokens_of(text)) texts.push_back(token.text);
  return texts;
}

TEST(Tokens, LeaveOutCommentsAndSplices) {
  EXPECT_THAT(words("a /* b */ c // d \\\n e\nas\\\nm f"), ElementsAre("a", "c", "asm", "f"));
  EXPECT_THAT(words("1.5e-3 x1 'c' \"a//b\" R\"(raw \" )\" 1'000"),
              ElementsAre("1.5e-3", "x1", "'c'", "\"a//b\"", "R\"...\"", "1'000"));
  EXPECT_THAT(words("#define A /* x */ b\nc"), ElementsAre("#define A   b", "c"));
}

TEST(Tokens, KnowTheirLines) {
  const auto tokens = tokens_of("a\n/*\n*/ b \\\n c");
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[1].line, 3);
  EXPECT_EQ(tokens[2].line, 4);
}

std::string reason_for(const std::string &text) {
  const auto found = inspect_text(text, smooth_model(), "kopt_variant");
  return found ? found->reason : "";
}

TEST(TextInspection, KnowsTargetAttributes) {
  EXPECT_EQ(reason_for("__attribute__((target(\"avx2,fma\"), hot)) int f();\n[[gnu::target(\"avx2\")]] int g();"), "");
  for (const char *text :
       {"__attribute__((target(\"arch=native\"))) int f();", "__attribute__((target(\"fpmath=387\"))) int f();",
        "__attribute__((target(NAME))) int f();", "__attribute__((target(\"avx2\" \"x\"))) int f();"})
    EXPECT_THAT(reason_for(text), HasSubstr("attribute `target`")) << text;
}

TEST(TextInspection, LetsComputationsPass) {
  const char *text = R"cpp(
#ifndef KOPT_TILE
#define KOPT_TILE 32
#endif
struct Pair { double first, second; };
static inline double square(double v) { return v * v; }
typedef double vector4 __attribute__((vector_size(32), aligned(8)));
[[gnu::always_inline]] inline double twice(double v) { return 2 * v; }
double kopt_variant(int n, double a, const double *__restrict__ x, double *__restrict__ y, long *positive) {
  alignas(64) double tile[KOPT_TILE];
  const char *text = "asm dlsym fork()"; // asm
#pragma GCC unroll 4
#pragma GCC ivdep
  for (int i = 0; i < n; ++i) tile[i % KOPT_TILE] = std::sqrt(square(x[i])) + __builtin_fma(a, x[i], 1.0);
  Pair smooth; smooth.first = text[0]; double time = 1; (void)time;
  return smooth.first * twice(a);
}
#undef KOPT_TILE
)cpp";
  EXPECT_EQ(reason_for(text), "");
}

TEST(TextInspection, RefusesWhatReachesOutside) {
  EXPECT_EQ(reason_for("void f() { asm(\"nop\"); }"), "contains inline assembly");
  EXPECT_EQ(reason_for("void f() { std::thread worker(g); worker.join(); std::jthread other; }"), "uses `jthread`");
  EXPECT_EQ(reason_for("void f() { dlsym(nullptr, \"x\"); }"), "calls dlsym, which reaches outside");
  EXPECT_EQ(reason_for("void f() { std::ifstream file; }"), "uses `ifstream`");
  EXPECT_EQ(reason_for("void f() { __builtin_ia32_rdtsc(); }"), "uses `__builtin_ia32_rdtsc`");
  EXPECT_EQ(reason_for("__attribute__((section(\".x\"))) int f() { return 0; }"), "uses the attribute `section`");
  EXPECT_EQ(reason_for("[[gnu::constructor]] void f() {}"), "uses the attribute `constructor`");
  EXPECT_EQ(reason_for("#include <cstdio>\n"), "includes a file");
  EXPECT_EQ(reason_for("#line 1 \"other.cpp\"\n"), "uses the directive #line");
  EXPECT_EQ(reason_for("#undef SIZE\n"), "removes a macro that it did not define");
  EXPECT_EQ(reason_for("#pragma GCC target(\"avx512f\")\n"), "uses a pragma other than unroll, ivdep, omp simd and clang loop");
  EXPECT_EQ(reason_for("#define HIDE __asm__\n"), "contains inline assembly");
  EXPECT_EQ(reason_for("%:define X\n"), "hides its text behind digraphs, trigraphs or token pasting");
  EXPECT_EQ(reason_for("} int x; namespace y {"), "closes a brace that it did not open");
  EXPECT_EQ(reason_for("namespace y {"), "leaves a brace open");
}

TEST(TextInspection, RefusesTheJudgesNamesAndTheOriginal) {
  EXPECT_EQ(reason_for("void f() { ++kopt_taken; }"), "uses a name that is reserved for the judge");
  EXPECT_EQ(reason_for("double f() { return app::smooth(1, 2, x, y, p); }"), "calls the original kernel");
  EXPECT_EQ(reason_for("double f(S s) { return s.smooth(1); }"), "") << "a member of the same name is another function";
}

TEST(TextInspection, TakesWhatTheApplicationsKernelCallsItself) {
  Model model = smooth_model();
  model.closure.text += "double clock(double);";
  EXPECT_FALSE(inspect_text("double f() { return clock(1.0); }", model, "kopt_variant"));
}

TEST(TextInspection, NamesTheLine) {
  const auto found = inspect_text("int a;\nint b = asm;\n", smooth_model(), "kopt_variant");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->evidence, "variant.cpp:2: asm");
}

TEST(TextInspection, LooksOnlyAtTheVariantsLinesOfAPreprocessedSource) {
  const std::string text = "# 1 \"kernel.cpp\"\nvoid a() { asm(\"\"); }\n# 1 \"variant.cpp\"\nvoid b() {}\n# 9 "
                           "\"kernel.cpp\"\nvoid c() { asm(\"\"); }\n";
  EXPECT_FALSE(inspect_preprocessed(text, "variant.cpp", smooth_model(), "kopt_variant"));
  EXPECT_TRUE(inspect_preprocessed(text + "# 2 \"variant.cpp\"\nvoid d() { asm(\"\"); }\n", "variant.cpp", smooth_model(),
                                   "kopt_variant"));
}

class ObjectInspection : public ::testing::Test {
protected:
  ObjectFile object(const std::string &name, const std::string &source) {
    const auto bytes = workshop.disk().read(workshop.compile(name, source));
    return read_object(bytes.value_or(""), name).value_or(ObjectFile{});
  }
  Workshop workshop;
  ObjectFile plain = object("plain", "extern \"C\" { int kopt_abi; void kopt_call() {} }");
};

TEST_F(ObjectInspection, KnowsImportsExportsAndVariables) {
  const ObjectFile found = object("found", R"(#include <cmath>
    extern "C" __attribute__((visibility("default"))) double shown(double v) { static int calls; ++calls; return std::sin(v); })");
  EXPECT_TRUE(found.imports.count("sin"));
  EXPECT_TRUE(found.exports.count("shown"));
  EXPECT_TRUE(found.variables.count("_ZZ5shownE5calls") || found.variables.count("_ZZ5showndE5calls") ||
              !found.variables.empty());
  EXPECT_TRUE(found.libraries.count("libm.so.6"));
}

TEST_F(ObjectInspection, LetsComputationsPass) {
  EXPECT_FALSE(inspect_object(object("maths", R"(#include <cmath>
    #include <cstring>
    static const double table[3] = {1, 2, 3};
    double f(double v, int k, double *to) { double *p = new double[9]; std::memcpy(to, p, 72); delete[] p; return std::pow(v, table[k]) + std::fmaf(v, v, v); })"),
                              plain));
}

TEST_F(ObjectInspection, RefusesStateImportsAndCodeAtLoad) {
  const auto reason = [&](const std::string &name, const std::string &source) {
    const auto found = inspect_object(object(name, source), plain);
    return found ? found->reason : "";
  };
  EXPECT_EQ(reason("state", "static int calls; int f() { return ++calls; }"), "keeps state between calls");
  EXPECT_EQ(reason("local", "thread_local int calls; int f() { return ++calls; }"), "keeps state between calls");
  EXPECT_EQ(reason("import", "extern \"C\" int getpid(); int f() { return getpid(); }"),
            "uses a function outside itself: getpid");
  EXPECT_THAT(
      reason("load",
             "int shared(int); static int kept; __attribute__((constructor)) void f() { kept = 1; } int g() { return kept; }"),
      HasSubstr("runs code while it is loaded"));
  EXPECT_THAT(
      reason(
          "ifunc",
          "extern \"C\" { static void *r() { return 0; } int f() __attribute__((ifunc(\"r2\"))); void *r2() { return r(); } }"),
      HasSubstr("runs code while it is loaded"));
  EXPECT_THAT(reason("section", "__attribute__((section(\".odd\"))) int f() { return 1; }"), HasSubstr("unusual section"));
  EXPECT_THAT(reason("export", "extern \"C\" __attribute__((visibility(\"default\"))) void clock_gettime() {}"),
              HasSubstr("exports a symbol of its own"));
}

TEST(ObjectFile, RefusesWhatIsNotOne) {
  EXPECT_FALSE(read_object("no object", "x"));
  EXPECT_FALSE(read_object(std::string("\x7f"
                                       "ELF\x02",
                                       5) +
                               std::string(100, '\xff'),
                           "x"));
}

} // namespace
} // namespace kopt::testing
