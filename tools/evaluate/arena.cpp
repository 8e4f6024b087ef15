#include "evaluate/arena.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace kopt {

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t guard = 1 << 20; // address space is free; a wide zone catches far strides too
constexpr std::uint64_t scalar_spacing = 64;

std::uint64_t up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

// As malloc aligns, and as an over-aligned element type may demand; a power of two that divides the element's size leaves no
// more slack.
std::uint64_t alignment_of(const Region &region) {
  std::uint64_t alignment = 16;
  const auto size = static_cast<std::uint64_t>(region.element.size);
  while (alignment < 64 && size % (alignment * 2) == 0 && size > 0) alignment *= 2;
  return alignment;
}

// First byte of the k-th buffer in its pages. Shift 0 is what glibc gives large blocks, all at one place in their pages; the
// others are staggered.
std::uint64_t shifted_start(int shift, std::size_t buffer) {
  if (shift == 0) return 16;
  return (64 * static_cast<std::uint64_t>(shift) + 320 * static_cast<std::uint64_t>(shift) * buffer) % page;
}

std::uint64_t start_in_pages(const Region &region, std::size_t buffer, Placement placement, std::uint64_t length) {
  if (placement.kind == Placement::Kind::FlushStart) return 0;
  if (placement.kind == Placement::Kind::FlushEnd) return (length - region.size) / alignment_of(region) * alignment_of(region);
  return up(shifted_start(placement.shift, buffer), alignment_of(region));
}

std::uint64_t pages_for(const Region &region, Placement placement) {
  const std::uint64_t room = placement.kind == Placement::Kind::Shifted ? page + 64 : 0;
  return std::max(page, up(region.size + room, page));
}

bool all_bytes_are(const std::uint8_t *first, const std::uint8_t *last, std::uint8_t value) {
  return std::all_of(first, last, [value](std::uint8_t byte) { return byte == value; });
}

} // namespace

const std::vector<Placement> &all_placements() {
  static const std::vector<Placement> placements = [] {
    std::vector<Placement> list = {{Placement::Kind::FlushEnd, 0}, {Placement::Kind::FlushStart, 0}};
    for (int shift = 0; shift < shifted_placements; ++shift) list.push_back({Placement::Kind::Shifted, shift});
    return list;
  }();
  return placements;
}

Result<Arena> Arena::create(const Model &model, const std::vector<Case> &cases) {
  Arena arena;
  for (const Case &kase : cases) arena.shapes_.push_back(shape_of(model, kase));
  arena.reservation_ = guard;
  for (std::size_t k = 0; k < cases.size(); ++k)
    for (const Placement &placement : all_placements()) arena.place(cases[k], arena.shapes_[k], placement);
  arena.file_ = memfd_create("kopt-arena", MFD_CLOEXEC);
  if (arena.file_ < 0 || ftruncate(arena.file_, static_cast<off_t>(arena.file_size_)) != 0)
    return fail(fmt::format("cannot get {} bytes of shared memory: {}", arena.file_size_, std::strerror(errno)), model.name,
                "give smaller cases, or more memory");
  void *memory = mmap(nullptr, arena.file_size_, PROT_READ | PROT_WRITE, MAP_SHARED, arena.file_, 0);
  if (memory == MAP_FAILED) return fail(std::string("cannot map shared memory: ") + std::strerror(errno), model.name);
  arena.memory_ = static_cast<std::uint8_t *>(memory);
  return arena;
}

Arena::Arena(Arena &&other) noexcept { *this = std::move(other); }

Arena &Arena::operator=(Arena &&other) noexcept {
  if (this == &other) return *this;
  release();
  file_ = std::exchange(other.file_, -1);
  memory_ = std::exchange(other.memory_, nullptr);
  file_size_ = other.file_size_;
  reservation_ = other.reservation_;
  shapes_ =
      std::move(other.shapes_); // moving a vector keeps its elements where they are, so windows may go on pointing at them
  windows_ = std::move(other.windows_);
  return *this;
}

Arena::~Arena() { release(); }

void Arena::release() {
  if (memory_) munmap(memory_, file_size_);
  if (file_ >= 0) close(file_);
  memory_ = nullptr;
  file_ = -1;
}

void Arena::place(const Case &kase, const Shape &shape, Placement placement) {
  Placed window;
  window.shape = &shape;
  std::uint64_t file_offset = 0;
  place_buffers(window, placement, file_offset);
  const std::size_t first_scalar = window.slots.size();
  place_scalars(window, file_offset);
  window.leaves.assign(shape.scalars.size(), -1);
  for (std::size_t k = 0; k < shape.scalars.size() && k < kase.arguments.size(); ++k)
    if (const Argument &argument = kase.arguments[k]; argument.buffer)
      window.leaves[k] =
          static_cast<std::int64_t>(window.slots[static_cast<std::size_t>(*argument.buffer)].address) + argument.offset;
  window.outputs = window.leaves;
  for (std::size_t k = first_scalar; k < window.slots.size(); ++k) {
    const Slot &slot = window.slots[k];
    window.outputs[slot.index] = static_cast<std::int64_t>(slot.address);
    if (!slot.region->absent) window.leaves[slot.index] = static_cast<std::int64_t>(slot.address);
  }
  file_size_ = std::max(file_size_, file_offset);
  windows_.push_back(std::move(window));
}

void Arena::place_buffers(Placed &window, Placement placement, std::uint64_t &file_offset) {
  for (std::size_t k = 0; k < window.shape->buffers.size(); ++k) {
    const Region &region = window.shape->buffers[k];
    const std::uint64_t length = pages_for(region, placement);
    const std::uint64_t start = start_in_pages(region, k, placement, length);
    window.segments.push_back({reservation_, file_offset, length});
    window.slots.push_back({&region, reservation_ + start, file_offset + start, region.size, false, k});
    reservation_ += length + guard;
    file_offset += length;
  }
}

void Arena::place_scalars(Placed &window, std::uint64_t &file_offset) {
  std::uint64_t length = 0;
  for (std::size_t k = 0; k < window.shape->scalars.size(); ++k) {
    const Region &region = window.shape->scalars[k];
    if (region.size == 0) continue;
    window.slots.push_back({&region, reservation_ + length, file_offset + length, region.size, true, k});
    length += up(region.size, scalar_spacing);
  }
  length = std::max(page, up(length, page));
  window.segments.push_back({reservation_, file_offset, length});
  reservation_ += length + guard;
  file_offset += length;
}

int Arena::window_of(int kase, int placement) const { return kase * static_cast<int>(all_placements().size()) + placement; }

void Arena::describe(protocol::Setup &setup) const {
  setup.reservation = reservation_;
  for (const Placed &window : windows_) setup.windows.push_back({window.segments, window.leaves, window.outputs});
}

void Arena::fill(int window, const Image &image, std::uint8_t poison, bool poison_outputs) {
  const Placed &placed = windows_[static_cast<std::size_t>(window)];
  std::size_t next = 0; // slots are in the order of their segments
  for (const protocol::Segment &segment : placed.segments) {
    std::uint64_t done = segment.file_offset;
    const std::uint64_t end = segment.file_offset + segment.length;
    for (; next < placed.slots.size() && placed.slots[next].address < segment.address + segment.length; ++next) {
      const Slot &slot = placed.slots[next];
      std::memset(memory_ + done, poison, slot.file_offset - done);
      const Bytes &bytes = slot.scalar ? image.scalars[slot.index] : image.buffers[slot.index];
      if (poison_outputs && slot.region->write_only())
        std::memset(memory_ + slot.file_offset, poison, slot.size);
      else if (slot.size > 0)
        std::memcpy(memory_ + slot.file_offset, bytes.data(), slot.size);
      done = slot.file_offset + slot.size;
    }
    std::memset(memory_ + done, poison, end - done);
  }
}

View Arena::view(int window) const {
  const Placed &placed = windows_[static_cast<std::size_t>(window)];
  View view;
  view.buffers.resize(placed.shape->buffers.size());
  view.scalars.resize(placed.shape->scalars.size());
  for (const Slot &slot : placed.slots)
    (slot.scalar ? view.scalars : view.buffers)[slot.index] = {memory_ + slot.file_offset, slot.size};
  return view;
}

std::optional<std::string> Arena::disturbed_slack(int window, std::uint8_t poison) const {
  const Placed &placed = windows_[static_cast<std::size_t>(window)];
  std::size_t next = 0;
  for (const protocol::Segment &segment : placed.segments) {
    std::uint64_t done = segment.file_offset;
    std::string before_end;
    for (; next < placed.slots.size() && placed.slots[next].address < segment.address + segment.length; ++next) {
      const Slot &slot = placed.slots[next];
      if (!all_bytes_are(memory_ + done, memory_ + slot.file_offset, poison))
        return before_end.empty() ? "just before the start of " + slot.region->name : before_end;
      done = slot.file_offset + slot.size;
      before_end = "just past the end of " + slot.region->name;
    }
    if (!all_bytes_are(memory_ + done, memory_ + segment.file_offset + segment.length, poison)) return before_end;
  }
  return std::nullopt;
}

std::optional<std::string> Arena::guard_zone_at(int window, std::uint64_t address) const {
  const Placed &placed = windows_[static_cast<std::size_t>(window)];
  for (std::size_t k = 0; k < placed.segments.size(); ++k) {
    const protocol::Segment &segment = placed.segments[k];
    if (k >= placed.shape->buffers.size()) break; // the segment of the scalars
    const Slot &slot = placed.slots[k];
    const auto size = static_cast<std::uint64_t>(std::max(slot.region->element.size, 1));
    const std::uint64_t end = segment.address + segment.length;
    // Between two segments lies one guard zone; each half belongs to its neighbour.
    if (address >= end && address < end + guard / 2)
      return fmt::format("past the end of {} (element {} of {})", slot.region->name, (address - slot.address) / size,
                         slot.size / size);
    if (address < segment.address && address + guard / 2 >= segment.address)
      return fmt::format("before the start of {} (element -{})", slot.region->name, (slot.address - address + size - 1) / size);
  }
  return std::nullopt;
}

} // namespace kopt
