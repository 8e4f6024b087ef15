#include "report/progress.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <string>

namespace kopt {
namespace {

std::string printed(bool terminal, const std::function<void(Progress &)> &use) {
  char *text = nullptr;
  std::size_t size = 0;
  std::FILE *stream = open_memstream(&text, &size);
  {
    Progress progress(stream, terminal, "heat.diffuse", 4);
    use(progress);
  }
  std::fclose(stream);
  std::string result(text, size);
  std::free(text); // NOLINT: open_memstream's contract
  return result;
}

TEST(Progress, PlainLinesHaveNoControlCharacters) {
  const std::string text = printed(false, [](Progress &progress) { progress.step("interchange: faster"); });
  EXPECT_EQ(text, "heat.diffuse [1/4] interchange: faster\n");
}

TEST(Progress, TheBarRedrawsAndDisappears) {
  const std::string text = printed(true, [](Progress &progress) { progress.step("x"), progress.line("kept"); });
  EXPECT_NE(text.find("[#####...............] 1/4 x"), std::string::npos);
  EXPECT_NE(text.find("kept\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\x1b[K"));
}

} // namespace
} // namespace kopt
