// Protocol: what the supervisor and its child processes say to each other. The supervisor writes one Setup and then Requests; a
// child answers each with one Record that repeats the request's nonce. Bulk data goes through the arena, a memory file that
// both map.
#pragma once

#include "core/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kopt::protocol {

// File descriptors of a child.
inline constexpr int arena_fd = 3, request_fd = 4, record_fd = 5;

// Pages of the memory file, placed at an address relative to the child's reservation. Around them nothing is mapped.
struct Segment {
  std::uint64_t address = 0, file_offset = 0, length = 0;
};

// Where one placement of a case lies: addresses relative to the reservation, -1 for null. `leaves` are what kopt_bind and
// kopt_call get; `outputs`, for kopt_unbind, also have a place for globals that the case gives no value.
struct Window {
  std::vector<Segment> segments;
  std::vector<std::int64_t> leaves, outputs;
};

struct Setup {
  std::string baseline, candidate; // paths of shared objects; candidate may be empty
  bool use_landlock = true, use_seccomp = true;
  std::uint64_t reservation = 0; // bytes of address space
  std::vector<Window> windows;
  int threads = 1; // of the OpenMP runtime, where the kernel is compiled with it
};

[[nodiscard]] std::string encode(const Setup &setup);
[[nodiscard]] Result<Setup> decode_setup(const std::string &text);

enum class Object : std::uint32_t { Baseline = 0, Candidate = 1 };

struct Request {
  std::uint64_t nonce = 0;
  std::uint32_t stop = 0;
  Object object = Object::Baseline;
  std::uint32_t window = 0;
  std::int32_t rounding = 0; // for fesetround
};

enum class Status : std::uint32_t {
  Ready,   // the objects are loaded; `address` is the reservation, `value` the Landlock version, `flags` bit 0: seccomp is on
  Loading, // could not get ready; `text` says why
  Done,    // the call returned; `value` is its time in ns, `taken` the calls in which the variant ran
  Fault,   // a signal: `signal`, `address` relative to the reservation
  SystemCall, // a forbidden system call; `value` is its number
  Exception,  // the kernel threw; `text` says what
};

// Flags of a Fault record: it was a write; `address` is absolute, outside the reservation; it is near the stack's end.
inline constexpr std::uint32_t fault_write = 1, fault_outside = 2, fault_stack = 4;

// Flags of a Done record.
inline constexpr std::uint32_t changed_rounding = 1, changed_flush = 2, changed_signals = 4;

struct Record {
  std::uint64_t nonce = 0;
  Status status = Status::Done;
  std::uint32_t flags = 0;
  std::int32_t signal = 0;
  std::uint32_t object = 0;
  std::uint64_t value = 0, taken = 0, address = 0;
  char text[208] = {};
};
static_assert(sizeof(Record) == 256);

} // namespace kopt::protocol
