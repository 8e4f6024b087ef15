#include "mep/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kopt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string hashed = "kopt-capture 2\n"
                           "kernel heat.diffuse\n"
                           "call 4\n"
                           "slot 1\n"
                           "scalar 2a000000 g.nx\n"
                           "pointer 0 2 u\n"
                           "null v\n"
                           "memory 0 heap\n"
                           "before 0 4\n"
                           "a\nc\x01\n"
                           "after 0 4\n"
                           "wxyz\n"
                           "left 05 counter\n"
                           "result 0f\n"
                           "time 1500\n";
const std::string whole = hashed + "hash " + std::to_string(recording_hash(hashed)) + "\ncomplete\n";

TEST(Recording, HoldsEverythingThatWasWrittenDown) {
  const auto recording = parse_recording(whole, "x.raw");
  ASSERT_TRUE(recording) << recording.error().message();
  EXPECT_EQ(recording->kernel, "heat.diffuse");
  EXPECT_EQ(recording->call, 4);
  EXPECT_EQ(recording->slot, 1);
  EXPECT_THAT(recording->scalars.at("g.nx"), ElementsAre(42, 0, 0, 0));
  EXPECT_EQ(recording->pointers.at("u").buffer, 0);
  EXPECT_EQ(recording->pointers.at("u").offset, 2);
  EXPECT_EQ(recording->pointers.at("v").buffer, -1);
  ASSERT_EQ(recording->buffers.size(), 1U);
  EXPECT_THAT(recording->buffers[0].before, ElementsAre('a', '\n', 'c', 1)); // a line break among the contents
  EXPECT_THAT(*recording->buffers[0].after, ElementsAre('w', 'x', 'y', 'z'));
  EXPECT_THAT(recording->left.at("counter"), ElementsAre(5));
  EXPECT_THAT(*recording->result, ElementsAre(15));
  EXPECT_EQ(recording->buffers[0].memory, "heap");
  EXPECT_EQ(recording->nanoseconds, 1500);
}

TEST(Recording, WithOneByteChangedIsRefused) {
  for (std::size_t at = hashed.find("a\nc"); at < hashed.size(); ++at) {
    auto changed = whole;
    changed[at] ^= 1;
    EXPECT_FALSE(parse_recording(changed, "x.raw")) << at;
  }
  auto changed = whole;
  changed[hashed.find("wxyz")] = 'v';
  EXPECT_THAT(parse_recording(changed, "x.raw").error().what, HasSubstr("corrupt"));
}

TEST(Recording, OfVersionTwoNeedsItsHash) {
  EXPECT_FALSE(parse_recording(hashed + "complete\n", "x.raw"));
  EXPECT_TRUE(parse_recording("kopt-capture 1\nkernel k\ncall 1\nslot 0\ncomplete\n", "x.raw"));
}

TEST(Recording, IsRefusedWhereverItIsCutShort) {
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto recording = parse_recording(whole.substr(0, length), "x.raw");
    ASSERT_FALSE(recording) << "cut at " << length;
    EXPECT_EQ(recording.error().where, "x.raw");
  }
  EXPECT_THAT(parse_recording(whole.substr(0, whole.size() - 9), "x.raw").error().what, HasSubstr("cut short"));
}

TEST(Recording, OfANewerVersionIsRefusedByNamingBoth) {
  const auto recording = parse_recording("kopt-capture 7\ncomplete\n", "x.raw");
  ASSERT_FALSE(recording);
  EXPECT_THAT(recording.error().what, HasSubstr("version 7 is newer than the version 2"));
}

TEST(Recording, OfSomethingElseIsRefused) {
  EXPECT_FALSE(parse_recording("ELF\nkopt-capture 1\ncomplete\n", "x.raw"));
  EXPECT_FALSE(parse_recording("kopt-capture one\ncomplete\n", "x.raw"));
}

TEST(Recording, WithDamagedLinesIsRefused) {
  for (const auto *line : {"scalar 0g n", "scalar 123 n", "pointer x 0 u", "call four", "before 1 2", "before 0 -1",
                           "after 0 1", "pointer 3 0 u"}) {
    const auto recording = parse_recording(std::string("kopt-capture 1\n") + line + "\ncomplete\n", "x.raw");
    EXPECT_FALSE(recording) << line;
  }
}

} // namespace
} // namespace kopt
