#include "core/slug.h"
#include "core/spec.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

TEST(Slug, WritesDotsForScopesAndOneDashForAnythingElse) {
  EXPECT_EQ(slug_of("foo"), "foo");
  EXPECT_EQ(slug_of("ns::foo<float,256>"), "ns.foo-float-256");
  EXPECT_EQ(slug_of("foo(int,float*)"), "foo-int-float");
  EXPECT_EQ(slug_of("a::b::operator()"), "a.b.operator");
}

TEST(Slug, IsWhatTheSpecSays) {
  Spec spec;
  spec.kernels = {"foo(int)", "foo<int>", "bar"};
  EXPECT_EQ(spec.slug_of("foo<int>"), "foo-int"); // a spec without slugs
  spec.slugs = {"foo-int-1a", "foo-int-2b", "bar"};
  EXPECT_EQ(spec.slug_of("foo<int>"), "foo-int-2b");
  EXPECT_EQ(spec.slug_of("other"), "other");
}

TEST(Slug, AsIdentifier) { EXPECT_EQ(identifier_of("ns.foo-float-256"), "ns_foo_float_256"); }

} // namespace
} // namespace kopt
