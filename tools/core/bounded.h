// Bounded: a computation inside a library that may not come to an end, in a child process of its own. The bound is processor
// time, so that what a busy machine does besides does not change what is found.
#pragma once

#include "core/error.h"

#include <functional>
#include <string>

namespace kopt {

// What `compute` returns in a copy of this process. An error where it takes more than `seconds` of processor time, or ends in
// another way than by returning. Nothing else that it does is seen here. The caller must have one thread.
[[nodiscard]] Result<std::string> bounded(const std::function<std::string()> &compute, unsigned seconds);

} // namespace kopt
