// Expansion: a macro call written out, that is, replaced by the tokens it stands for.
//
// A macro whose body uses the kernel's own local variables (`#define CELL u[i + j * n]`) hides them from whoever reads or moves
// the kernel's statements, and a macro of several statements hides those. In a closure the calls of both are written out; what
// they stand for is the same, and lines keep their numbers. Macros of system headers stay.
#pragma once

#include "core/error.h"
#include "source/command.h"

#include <string>
#include <vector>

namespace kopt {

// `text` with such calls written out from `anchor_end` (just after the kernel's `{`) to the kernel's end.
[[nodiscard]] Result<std::string> write_out_macros(const std::string &text, long anchor_end, const std::string &file,
                                                   const CompileCommand &command, const std::vector<std::string> &roots);

} // namespace kopt
