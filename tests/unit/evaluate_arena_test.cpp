#include "evaluate/arena.h"

#include "evaluate_fixture.h"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <set>
#include <sys/mman.h>

namespace kopt::testing {
namespace {

constexpr std::size_t x_leaf = 2, y_leaf = 3;

class ArenaOfOneCase : public ::testing::Test {
protected:
  static protocol::Setup described(const Arena &arena) {
    protocol::Setup setup;
    arena.describe(setup);
    return setup;
  }
  // What a kernel would do: writes through the file as the child sees it.
  void poke(std::uint64_t file_offset, std::uint8_t value) const {
    void *memory = mmap(nullptr, file_offset + 1, PROT_READ | PROT_WRITE, MAP_SHARED, arena.file(), 0);
    ASSERT_NE(memory, MAP_FAILED);
    static_cast<std::uint8_t *>(memory)[file_offset] = value;
    munmap(memory, file_offset + 1);
  }

  Model model = smooth_model();
  Case kase = smooth_case("one", 100); // x has 108, y 100 doubles
  Arena arena = std::move(*Arena::create(model, {kase}));
  protocol::Setup setup = described(arena);
};

TEST_F(ArenaOfOneCase, FlushEndEndsAtTheGuardZone) {
  const protocol::Window &window = setup.windows[static_cast<std::size_t>(arena.window_of(0, 0))];
  const protocol::Segment &x = window.segments[0];
  EXPECT_EQ(static_cast<std::uint64_t>(window.leaves[x_leaf]) + 108 * 8, x.address + x.length);
}

TEST_F(ArenaOfOneCase, FlushStartStartsAtTheGuardZone) {
  const protocol::Window &window = setup.windows[static_cast<std::size_t>(arena.window_of(0, 1))];
  EXPECT_EQ(static_cast<std::uint64_t>(window.leaves[y_leaf]), window.segments[1].address);
}

TEST_F(ArenaOfOneCase, EveryPlacementHasOtherAddressesAlignedAsMallocDoes) {
  std::set<std::int64_t> addresses, in_page;
  for (const protocol::Window &window : setup.windows) {
    EXPECT_EQ(window.leaves[y_leaf] % 16, 0);
    addresses.insert(window.leaves[y_leaf]);
    in_page.insert(window.leaves[y_leaf] % 4096);
  }
  EXPECT_EQ(addresses.size(), all_placements().size());
  EXPECT_GE(in_page.size(), 4U);
}

TEST_F(ArenaOfOneCase, SegmentsOfAllWindowsAreApart) {
  std::uint64_t end = 0;
  for (const protocol::Window &window : setup.windows)
    for (const protocol::Segment &segment : window.segments) {
      EXPECT_GE(segment.address, end + 4096) << "a guard zone before each";
      end = segment.address + segment.length;
    }
  EXPECT_GE(setup.reservation, end + 4096);
}

TEST_F(ArenaOfOneCase, FillsContentsAndPoisonsOutputs) {
  const Image image = image_of(model, kase);
  for (int placement = 0; placement < static_cast<int>(all_placements().size()); ++placement) {
    const int window = arena.window_of(0, placement);
    arena.fill(window, image, 0x5a, true);
    const View view = arena.view(window);
    EXPECT_TRUE(std::equal(view.buffers[0].begin(), view.buffers[0].end(), image.buffers[0].begin()));
    EXPECT_THAT(std::vector(view.buffers[1].begin(), view.buffers[1].end()), ::testing::Each(0x5a)) << "y is only written";
    EXPECT_EQ(view.buffers[2][0], 5) << "positive is read too";
    EXPECT_FALSE(arena.disturbed_slack(window, 0x5a));
    arena.fill(window, image, 0x5a, false);
    EXPECT_EQ(arena.view(window).buffers[1][0], 0);
  }
}

TEST_F(ArenaOfOneCase, SeesWritesIntoSlack) {
  const int window = arena.window_of(0, 1); // y starts its page, slack behind it
  const protocol::Segment &y = setup.windows[static_cast<std::size_t>(window)].segments[1];
  arena.fill(window, image_of(model, kase), 0x5a, true);
  poke(y.file_offset + 100 * 8, 0x5b);
  EXPECT_EQ(arena.disturbed_slack(window, 0x5a), "just past the end of y");
  const int shifted = arena.window_of(0, 2);
  const protocol::Segment &x = setup.windows[static_cast<std::size_t>(shifted)].segments[0];
  arena.fill(shifted, image_of(model, kase), 0x5a, true);
  poke(x.file_offset, 0);
  EXPECT_EQ(arena.disturbed_slack(shifted, 0x5a), "just before the start of x");
}

TEST_F(ArenaOfOneCase, NamesGuardZones) {
  const int window = arena.window_of(0, 0);
  const auto x = static_cast<std::uint64_t>(setup.windows[static_cast<std::size_t>(window)].leaves[x_leaf]);
  EXPECT_EQ(arena.guard_zone_at(window, x + 108 * 8), "past the end of x (element 108 of 108)");
  EXPECT_EQ(arena.guard_zone_at(window, x + 8 * 5000), "past the end of x (element 5000 of 108)");
  EXPECT_FALSE(arena.guard_zone_at(window, x)) << "inside";
  const int start = arena.window_of(0, 1);
  const auto y = static_cast<std::uint64_t>(setup.windows[static_cast<std::size_t>(start)].leaves[y_leaf]);
  EXPECT_EQ(arena.guard_zone_at(start, y - 8), "before the start of y (element -1)");
}

TEST(ArenaOfManyShapes, KeepsNullPointersAndPointersIntoOneBuffer) {
  Model model = smooth_model();
  Case kase = smooth_case("aliased", 10);
  kase.arguments[y_leaf] = {{}, 0, 16}; // y inside x
  kase.arguments[4] = {{}, {}, 0};      // no counter
  const Arena arena = std::move(*Arena::create(model, {kase}));
  protocol::Setup setup;
  arena.describe(setup);
  for (const protocol::Window &window : setup.windows) {
    EXPECT_EQ(window.leaves[y_leaf], window.leaves[x_leaf] + 16);
    EXPECT_EQ(window.leaves[4], -1);
  }
}

TEST(ArenaOfManyShapes, GivesGlobalsWithoutAValueAPlaceForWhatTheyAreLeftAs) {
  Model model = smooth_model();
  Leaf global = leaf_of("app::calls", -1, "int", "integer", 4, "scalar", "readwrite");
  global.origin = "global";
  model.leaves.push_back(global);
  Case kase = smooth_case("global", 10);
  kase.arguments.push_back({});
  const Arena arena = std::move(*Arena::create(model, {kase}));
  protocol::Setup setup;
  arena.describe(setup);
  EXPECT_EQ(setup.windows[0].leaves.back(), -1);
  EXPECT_GE(setup.windows[0].outputs.back(), 0);
}

class ContentsOfOneCase : public ::testing::Test {
protected:
  std::vector<double> doubles(const Image &of, std::size_t buffer) const {
    std::vector<double> values(of.buffers[buffer].size() / 8);
    std::memcpy(values.data(), of.buffers[buffer].data(), values.size() * 8);
    return values;
  }
  Model model = smooth_model();
  Case kase = [] {
    Case made = smooth_case("one", 3);
    made.buffers[0].before = bytes_of<double>({0, 1, -2, std::numeric_limits<double>::infinity(), 4, 5, 6, 7, 8, 9, 10});
    return made;
  }();
  Shape shape = shape_of(model, kase);
  Image image = image_of(model, kase);
};

TEST_F(ContentsOfOneCase, PerturbingKeepsZerosInfinitiesAndIntegers) {
  const Image other = perturbed(shape, image, 0.125, 1);
  const auto values = doubles(other, 0);
  EXPECT_EQ(values[0], 0);
  EXPECT_TRUE(std::isinf(values[3]));
  EXPECT_NE(values[1], 1);
  EXPECT_NEAR(values[1], 1, 0.125);
  EXPECT_NEAR(values[2], -2, 0.25);
  EXPECT_EQ(other.scalars[0], image.scalars[0]) << "n is an integer";
  EXPECT_NE(other.scalars[1], image.scalars[1]) << "a is not";
  EXPECT_EQ(other.buffers[2], image.buffers[2]) << "positive is an integer";
}

TEST_F(ContentsOfOneCase, PerturbingDependsOnTheSeedAlone) {
  EXPECT_EQ(perturbed(shape, image, 0.125, 1).buffers, perturbed(shape, image, 0.125, 1).buffers);
  EXPECT_NE(perturbed(shape, image, 0.125, 1).buffers, perturbed(shape, image, 0.125, 2).buffers);
}

TEST_F(ContentsOfOneCase, NudgingMovesToANeighbour) {
  const auto values = doubles(nudged(shape, image, 3), 0);
  EXPECT_TRUE(values[1] == std::nextafter(1.0, 2.0) || values[1] == std::nextafter(1.0, 0.0)) << values[1];
}

} // namespace
} // namespace kopt::testing
