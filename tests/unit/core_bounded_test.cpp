#include "core/bounded.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace kopt {
namespace {

TEST(Bounded, GivesWhatIsComputed) {
  const std::string long_text(1 << 20, 'x'); // more than a pipe holds
  EXPECT_EQ(bounded([&] { return long_text; }, 10).value(), long_text);
  EXPECT_EQ(bounded([] { return std::string(); }, 10).value(), "");
}

TEST(Bounded, LeavesTheCallerAlone) {
  int count = 0;
  ASSERT_TRUE(bounded([&] { return std::to_string(++count); }, 10));
  EXPECT_EQ(count, 0);
}

TEST(Bounded, EndsWhatTakesTooLong) {
  volatile bool on = true;
  const auto result = bounded(
      [&] {
        while (on) {
        }
        return std::string("never");
      },
      1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "takes more than 1 s");
}

TEST(Bounded, SaysHowItEndedOtherwise) {
  const auto aborted = bounded([]() -> std::string { std::abort(); }, 10);
  ASSERT_FALSE(aborted);
  EXPECT_EQ(aborted.error().what, "ended by signal 6");
  const auto left = bounded([]() -> std::string { std::_Exit(3); }, 10);
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().what, "ended by itself");
}

} // namespace
} // namespace kopt
