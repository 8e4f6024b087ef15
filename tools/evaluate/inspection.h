// Inspection: what can be told about a candidate before any of its code is loaded. A variant computes; whatever reaches for
// files, threads, other code, the clock or the judge is refused here, with the reason, so that the lockdown is only the second
// line.
#pragma once

#include "core/model.h"
#include "evaluate/object_file.h"

#include <optional>
#include <string>
#include <string_view>

namespace kopt {

struct Suspicion {
  std::string reason;   // "contains inline assembly"
  std::string evidence; // "variant.cpp:3: asm"
};

// The text of a variant. `closure` is the text of the kernel's closure: what the application itself calls there is no cause for
// suspicion. `entry` is the function that the plan calls.
[[nodiscard]] std::optional<Suspicion> inspect_text(std::string_view variant, const Model &model, const std::string &entry);

// The same for the lines of a preprocessed source that `#line` attributes to `file`: what the closure's macros made of the
// variant.
[[nodiscard]] std::optional<Suspicion> inspect_preprocessed(std::string_view preprocessed, const std::string &file,
                                                            const Model &model, const std::string &entry);

// A candidate's shared object against the baseline's; `with_openmp` where the kernel's own source is compiled with it.
[[nodiscard]] std::optional<Suspicion> inspect_object(const ObjectFile &candidate, const ObjectFile &baseline,
                                                      bool with_openmp = false);

} // namespace kopt
