#include "core/lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace kopt {
namespace {

// flock() belongs to the open file, so a second take in this process stands for another process.
TEST(Lock, OneHolderAtATime) {
  const fs::path folder = fs::path(testing::TempDir()) / ("kopt-lock-" + std::to_string(::getpid()));
  const fs::path file = folder / "made" / "tune.lock";
  {
    const auto first = Lock::take(file);
    ASSERT_TRUE(first) << first.error().message();
    const auto second = Lock::take(file);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().where, file.parent_path());
    EXPECT_NE(second.error().what.find("(process " + std::to_string(::getpid()) + " on "), std::string::npos)
        << second.error().what;
  }
  EXPECT_TRUE(Lock::take(file));
  fs::remove_all(folder);
}

TEST(Lock, SaysWhereItCannotBe) {
  const auto lock = Lock::take("/dev/null/kopt/tune.lock");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().where, "/dev/null/kopt/tune.lock");
}

} // namespace
} // namespace kopt
