// Integers: questions about sets of integer points bounded by affine constraints, answered by isl, which only this and
// Scheduler know.
#pragma once

#include "core/error.h"

#include <map>
#include <memory>
#include <string>

struct isl_ctx;

namespace kopt {

class Integers {
public:
  Integers();

  // Whether the set has no point for any value of its parameters. `set` is in isl's notation: "[n] -> { [i] : 0 <= i < n }".
  // An error when the text is wrong or the question too hard for the operations allowed: callers then assume that there is a
  // point.
  [[nodiscard]] Result<bool> is_empty(const std::string &set);

private:
  struct Free {
    void operator()(isl_ctx *context) const;
  };
  std::unique_ptr<isl_ctx, Free> context_;
  std::map<std::string, bool> known_;
};

} // namespace kopt
