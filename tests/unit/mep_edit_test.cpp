#include "core/scan.h"
#include "mep/edit.h"

#include <gmock/gmock.h>

namespace kopt {
namespace {

using testing::ElementsAre;

Anchor anchor_of(const std::string &text, long offset = 0, int line = 0) {
  Anchor anchor;
  anchor.file = "k.cpp", anchor.text = text, anchor.offset = offset, anchor.line = line;
  return anchor;
}

TEST(EditTest, FindsTheAnchor) { EXPECT_EQ(find_anchor("int a;\nvoid f() {\n}\n", anchor_of("void f() {")), 7); }

TEST(EditTest, TakesTheOccurrenceNearestTheRecordedOffsetOrLine) {
  std::string text = "#if X\nvoid f() {}\n#else\nvoid f() {}\n#endif\n";
  EXPECT_EQ(find_anchor(text, anchor_of("void f() {", 6)), 6);
  EXPECT_EQ(find_anchor(text, anchor_of("void f() {", 30)), 24);
  EXPECT_EQ(find_anchor(text, anchor_of("void f() {", 0, 4)), 24);
}

TEST(EditTest, SkipsCommentsLiteralsAndTheMiddleOfDeclarations) {
  std::string text = "// void f() {\n/* void f() { */ const char *s = \"\\\"void f() {\";\nauto r = R\"x(;void f() {)x\"; int "
                     "n = 1'000; void f() {}\n";
  EXPECT_EQ(find_anchor(text, anchor_of("void f() {", 1)), static_cast<long>(text.rfind("void f")));
  auto changed = find_anchor("static\nvoid f() {}", anchor_of("void f() {", 0, 12));
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().where, "k.cpp:12");
}

TEST(EditTest, AMacroOnALineOfItsOwnEndsADeclaration) {
  EXPECT_TRUE(find_anchor("BEGIN_NAMESPACE\nvoid f() {}", anchor_of("void f() {")));
  EXPECT_TRUE(find_anchor("DECLARE(x, y)\nvoid f() {}", anchor_of("void f() {")));
  EXPECT_FALSE(find_anchor("API void f() {}", anchor_of("void f() {")));
}

TEST(EditTest, KeepsLinesColumnsAndAllOfTheOriginal) {
  std::string original = "int a;\n  int b; void f() {\n  body;\n}\n";
  auto offset = static_cast<long>(original.find("void"));
  auto text = apply_edit(original, offset, 10, "/a \"b\"/k.cpp", {"namespace n {\n}\n", " HERE"});
  EXPECT_EQ(text, "#line 1 \"/a \\\"b\\\"/k.cpp\"\nint a;\n  int b; \nnamespace n {\n}\n#line 2 \"/a \\\"b\\\"/k.cpp\"\n       "
                  "  void f() { HERE\n"
                  "  body;\n}\n");
}

TEST(ScanTest, ReadsDeclarators) {
  EXPECT_THAT(declarator_of("void f(int a) {"), ElementsAre("f"));
  EXPECT_THAT(declarator_of("heat::Grid a :: b::make(const heat::Grid &g) {"), ElementsAre("a", "b", "make"));
  EXPECT_THAT(declarator_of("[[nodiscard]] __attribute__((noinline, target(\"avx\"))) decltype(heat::g(1)) f(int n = "
                            "::h::x(3)) noexcept(n::y(1)) {"),
              ElementsAre("f"));
}

TEST(ScanTest, ReadsMacroNames) {
  EXPECT_THAT(
      macro_names(
          "#ifndef A\n#  define A 1\n#endif\n#define B(x) \\\n  x\n// #define C\n\"\\\n#define D\"; #undef A\n#undef E\n"),
      ElementsAre("A", "B", "E"));
}

} // namespace
} // namespace kopt
