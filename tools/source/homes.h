// Homes: the sources of a target that hold a kernel's text. An ordinary kernel has one, the source that defines it. A kernel in
// a header has each source that includes the header itself, and gets into their text in the place of the #include.
#pragma once

#include "core/disk.h"
#include "core/spec.h"
#include "source/command.h"
#include "source/finder.h"

#include <string>
#include <vector>

namespace kopt {

// `file` defines the kernel. An Error where a source would keep the original of an inline function that others get with a
// variant: it reaches the header only through another one, or through another one first.
[[nodiscard]] Result<std::vector<std::string>> homes_of(const Disk &disk, const Spec &spec, const CompileCommands &commands,
                                                        const KernelName &kernel, const std::string &file);

} // namespace kopt
