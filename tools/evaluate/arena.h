// Arena: the memory in which kernels under judgement work: one memory file that the supervisor owns and a child maps.
// A window is one placement of one case in the child's address space, each buffer between guard zones where nothing is mapped.
// All windows show the same pages of the file, so that only one is filled at a time and every call can have other addresses.
// Slack is what lies between a buffer and the ends of its pages; it holds a poison pattern that nobody may change.
#pragma once

#include "evaluate/protocol.h"
#include "evaluate/shape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

// Where buffers lie in their pages: ending at the guard zone behind (as far as the alignment of malloc allows), beginning at
// the one before, or shifted by a few cache lines for timing.
struct Placement {
  enum class Kind { FlushEnd, FlushStart, Shifted };
  Kind kind = Kind::FlushEnd;
  int shift = 0;
};

// The placements that every case gets, by number.
inline constexpr int shifted_placements = 4;
[[nodiscard]] const std::vector<Placement> &all_placements();

// All ones: NaN and -1; and a number of ordinary size: what adds to NaN or to a huge number would look as if it had left it
// alone.
inline constexpr std::uint8_t poison_patterns[2] = {0xff, 0x3f};

class Arena {
public:
  static Result<Arena> create(const Model &model, const std::vector<Case> &cases);
  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) noexcept;
  ~Arena();

  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] int window_of(int kase, int placement) const;
  // Adds reservation and windows to a setup.
  void describe(protocol::Setup &setup) const;

  // Writes contents and poison for the next call. With `poison_outputs`, buffers that are only written get the pattern instead
  // of their contents.
  void fill(int window, const Image &image, std::uint8_t poison, bool poison_outputs);
  [[nodiscard]] View view(int window) const;
  // The buffer next to slack that is not as filled, and on which side: "just past the end of u".
  [[nodiscard]] std::optional<std::string> disturbed_slack(int window, std::uint8_t poison) const;
  // What an address relative to the reservation means: "past the end of u (element 12 of 12)"; nothing if it is in no guard
  // zone of this window.
  [[nodiscard]] std::optional<std::string> guard_zone_at(int window, std::uint64_t address) const;

private:
  struct Slot { // one region in one window
    const Region *region = nullptr;
    std::uint64_t address = 0, file_offset = 0;
    std::size_t size = 0;
    bool scalar = false;
    std::size_t index = 0;
  };
  struct Placed {
    std::vector<protocol::Segment> segments;
    std::vector<Slot> slots;                   // by address
    std::vector<std::int64_t> leaves, outputs; // as in protocol::Window
    const Shape *shape = nullptr;
  };

  Arena() = default;
  void place(const Case &kase, const Shape &shape, Placement placement);
  void place_buffers(Placed &window, Placement placement, std::uint64_t &file_offset);
  void place_scalars(Placed &window, std::uint64_t &file_offset);
  void release();

  int file_ = -1;
  std::uint8_t *memory_ = nullptr;
  std::uint64_t file_size_ = 0, reservation_ = 0;
  std::vector<Shape> shapes_;
  std::vector<Placed> windows_;
};

} // namespace kopt
