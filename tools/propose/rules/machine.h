// Machine: what the static cost of a schedule depends on: vectors, registers and caches of the processor that a kernel is
// compiled for. Wrong numbers make a worse default, never a wrong variant: every number ends up in a parameter.
#pragma once

#include "core/model.h"

namespace kopt {

struct Machine {
  int vector_bytes = 16;     // of the widest vector that the compile command allows
  int vector_registers = 16; // of that width
  bool fuses = false;        // multiplies and adds with one rounding
  long l1_bytes = 32 * 1024; // data cache of one core
  long l2_bytes = 512 * 1024;

  // Elements of this size in one vector.
  [[nodiscard]] int lanes(int element_bytes) const { return element_bytes > 0 ? vector_bytes / element_bytes : 1; }
};

// `-march=native` means the processor that this runs on; without any `-m` option that widens vectors, SSE2 or NEON.
[[nodiscard]] Machine machine_of(const Compile &compile);

} // namespace kopt
