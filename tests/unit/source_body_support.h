// A kernel given as a string that is its own closure, and its model.
#pragma once

#include "core/model.h"

#include <string>

namespace kopt::fixture {

// The model of the last function in `code`; `name` is used for the file. Code that does not compile fails the test and gives an
// empty model.
[[nodiscard]] Model model_of(const std::string &code, const std::string &name = "kernel");

// The body as short lines, two spaces per level, to compare with an expectation:
//   for i in [1, n - 1)          reverse and step are added where they are not the usual
//   if i - 1 >= 0                (or `if ?` where the condition is not affine)
//   c[i] = u[i - 1] + s          reads and writes: `write c[i]; read u[i - 1]; read s`
//   opaque: while loop
[[nodiscard]] std::string outline(const Model &model);

// "write c[i]", "update local t[0]", "read ?"
[[nodiscard]] std::string text_of(const Access &access);

} // namespace kopt::fixture
