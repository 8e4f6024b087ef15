// Case: one concrete set of arguments of a kernel (docs/formats.md, "Cases"). Workload: all cases of a kernel.
#pragma once

#include "core/expression.h"
#include "core/model.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

// Bytes in memory that leaves point into: one allocation of the application, or one generated buffer.
struct Buffer {
  std::vector<std::uint8_t> before;
  std::optional<std::vector<std::uint8_t>> after; // what the application computed, for captures
  std::string memory = {};                        // in a capture: heap, stack, global, mapping, window, empty
};

// A leaf's value: raw bytes for a scalar; for a pointer the buffer it points into, or none for a null pointer.
struct Argument {
  std::vector<std::uint8_t> bytes;
  std::optional<int> buffer;
  long offset = 0;
};

// A case with everything expanded: ready to be laid out in memory.
struct Case {
  std::string name;
  double weight = 1; // share of the kernel's time that calls like this one take, relative to the other cases
  bool held_out = false;
  std::string origin;     // user, capture, derived (other contents), sized (another size)
  double nanoseconds = 0; // of the call in the application; 0: not known
  std::vector<Argument>
      arguments; // by leaf index; globals without a value have neither bytes nor buffer: leave them as they are
  std::vector<Buffer> buffers;
  std::optional<std::vector<std::uint8_t>> result; // bytes of the return value in a capture
  // By leaf: bytes that a capture saw in a scalar after the call (globals, members of referenced structs); empty where not
  // known.
  std::vector<std::vector<std::uint8_t>> left;
};

inline constexpr int cases_version = 2; // of kopt-cases documents

// Reads a kopt-cases document and expands it for this model: evaluates extents, generates fills (deterministic in `seed`),
// loads files. Errors name the document, the case and the argument.
[[nodiscard]] Result<std::vector<Case>> read_cases(const Disk &disk, const fs::path &path, const Model &model,
                                                   std::uint64_t seed = 1);

// Looks scalar leaves of a case up by path, for expressions.
[[nodiscard]] Expression::Lookup scalar_lookup(const Model &model, const Case &kase);

} // namespace kopt
