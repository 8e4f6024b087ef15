// Reach: how far the kernel goes through each pointer, as the model says, held against what a capture holds.
#pragma once

#include "mep/recording.h"

namespace kopt {

// An Error where a buffer ends before what the model says the kernel touches: the application reads or writes out of bounds, or
// the model is wrong. Accesses under a condition, or in a loop that does not run, are left out: there the model says too much.
[[nodiscard]] Result<void> check_reach(const Model &model, const Recording &recording);

} // namespace kopt
