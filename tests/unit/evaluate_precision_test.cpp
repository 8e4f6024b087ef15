#include "evaluate/precision.h"

#include <gmock/gmock.h>

namespace kopt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Variant variant_with(const std::string &text) {
  Variant variant;
  variant.text = text;
  return variant;
}

constexpr const char *fused = "__attribute__((target(\"avx2,fma\"))) void kopt_variant(int n) {}";

TEST(Precision, SeesWhatMayBeContracted) {
  EXPECT_THAT(precision_changes(variant_with(fused), {}), ElementsAre("contracts floating point"));
  Compile exact;
  exact.arguments = {"-O3", "-ffp-contract=off"};
  EXPECT_THAT(precision_changes(variant_with(fused), exact), IsEmpty());
  EXPECT_THAT(precision_changes(variant_with("__attribute__((target(\"avx2\"))) void kopt_variant() {}"), {}), IsEmpty());
}

TEST(Precision, KeepsWhatWasDeclared) {
  Variant variant = variant_with(fused);
  variant.precision = {"adds up sums in another order", "contracts floating point"};
  EXPECT_THAT(precision_changes(variant, {}), ElementsAre("adds up sums in another order", "contracts floating point"));
}

TEST(Precision, FindsFeaturesWhereverTheyStand) {
  EXPECT_THAT(features_used("// target(\"sse3\")\n[[gnu::target(\"fma, avx2\")]] int f();"), ElementsAre("avx2", "fma"));
  EXPECT_THAT(features_used("#define WIDE __attribute__((__target__ /* */ (\"avx512f\")))\nWIDE int f();"),
              ElementsAre("avx512f"));
  EXPECT_THAT(features_used("int target = 1; f(target(\"a\"[0]));"), ElementsAre("a"));
}

TEST(Precision, AsksForTheGuardsOfFeatures) {
  EXPECT_EQ(unguarded_feature(fused, Plan::parse("require cpu(avx2)\n", "plan").value()), "fma");
  EXPECT_FALSE(unguarded_feature(fused, Plan::parse("require cpu(avx2) and cpu(fma)\n", "plan").value()));
}

} // namespace
} // namespace kopt
