// Recording: one call of a kernel as the recorder (templates/runtime/kopt_capture.cpp) wrote it down: its scalars, where its
// pointers led, the buffers before and after, and the result.
//
// The file is lines of text, with a buffer's bytes (and a line break) behind each line that announces them:
//
//   kopt-capture 2                     format and version
//   kernel heat.diffuse                slug
//   call 4                             which call of the kernel, from 1
//   slot 0                             which group of calls it belongs to
//   scalar e8030000 g.nx               bytes in hexadecimal, path of the leaf
//   pointer 0 64 u                     buffer, offset in bytes, path
//   null v                             a null pointer
//   memory 0 heap                      what buffer 0 is: heap, stack, global, mapping, window, empty
//   before 0 8388608                   buffer, size; its bytes follow
//   after 0 8388608                    the same at the kernel's exit, where it may have written
//   left 05000000 counter              a scalar at the kernel's exit, where it outlives the call and may have been written
//   result 0000000000000840
//   time 31415926                      nanoseconds of the call
//   hash 1234567890                    of everything ahead of this line
//   complete                           missing: the application ended while it was written
//
// Version 1 has neither memory, time nor hash.
#pragma once

#include "core/case.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kopt {

struct Recording {
  static constexpr int version = 2;

  struct Pointer {
    int buffer = -1; // -1: null
    long offset = 0;
  };

  std::string kernel;
  long call = 0;
  int slot = 0;
  double nanoseconds = 0;                                   // of the call; 0: not known
  std::map<std::string, std::vector<std::uint8_t>> scalars; // by path
  std::map<std::string, Pointer> pointers;
  std::vector<Buffer> buffers;
  std::map<std::string, std::vector<std::uint8_t>> left;
  std::optional<std::vector<std::uint8_t>> result;
};

// What recordings are hashed with: words of eight bytes, little-endian, the last one padded with zeros, then the length; each
// is mixed in by h = (h ^ word) * 0x9fb21c651e98df25, h ^= h >> 32.
[[nodiscard]] std::uint64_t recording_hash(std::string_view bytes);

// An Error where the file is cut short, damaged, or of a newer version; `where` names it.
[[nodiscard]] Result<Recording> parse_recording(std::string_view raw, const std::string &where);

} // namespace kopt
