#include "core/feature.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

TEST(Feature, KnowsWhatComputes) {
  EXPECT_TRUE(is_feature("avx2"));
  EXPECT_TRUE(is_feature("sse4.2"));
  EXPECT_FALSE(is_feature("arch=haswell"));
  EXPECT_FALSE(is_feature(""));
  EXPECT_TRUE(fuses_multiply_add("fma"));
  EXPECT_TRUE(fuses_multiply_add("avx512f"));
  EXPECT_FALSE(fuses_multiply_add("avx2"));
}

TEST(Feature, ReadsWhatTheCompilerIsTold) {
  EXPECT_FALSE(chooses_features({"-O3", "-march=x86-64", "-mno-avx", "-mtune=native"}));
  EXPECT_TRUE(chooses_features({"-O3", "-march=native"}));
  EXPECT_TRUE(chooses_features({"-mavx2"}));
  EXPECT_TRUE(may_contract({"-O3"}));
  EXPECT_FALSE(may_contract({"-ffp-contract=fast", "-ffp-contract=off"}));
  EXPECT_TRUE(may_contract({"-ffp-contract=off", "-ffp-contract=fast"}));
}

} // namespace
} // namespace kopt
