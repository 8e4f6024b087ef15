#include "source/word_index.h"

#include <gtest/gtest.h>

namespace kopt {
namespace {

using Sources = std::vector<std::string>;

TEST(WordIndex, FindsWholeWordsOfManyKernelsAtOnce) {
  MemoryDisk disk;
  disk.files["/a.cpp"] = "void foo(int);\nvoid foo(long) {}";
  disk.files["/b.cpp"] = "int food, _foo, foo2; // bar";
  disk.files["/c.cpp"] = "x=foo;bar";
  const WordIndex index(disk, {"/a.cpp", "/b.cpp", "/missing.cpp", "/c.cpp"}, {"foo", "bar", "baz"});
  EXPECT_EQ(index.sources_with("foo"), (Sources{"/a.cpp", "/c.cpp"}));
  EXPECT_EQ(index.sources_with("bar"), (Sources{"/b.cpp", "/c.cpp"}));
  EXPECT_EQ(index.sources_with("baz"), Sources{});
  EXPECT_EQ(index.sources_with("never asked for"), Sources{});
}

} // namespace
} // namespace kopt
