// Emission: a closure written as one text. Slices stand verbatim in the order in which the compiler read them, each under a
// comment that says where it comes from, inside the namespaces and #if lines that stood around it; project headers are gone,
// system headers stay #includes.
#pragma once

#include "core/model.h"
#include "source/closure.h"

#include <string>

namespace kopt {

struct EmittedClosure {
  Closure closure;
  Anchor anchor;
  // For each piece, where it begins in closure.text; -1 for directives that stand there more than once.
  std::vector<long> offsets;
};

// `shown_root`: provenance comments name files relative to it.
// Fails where the kernel's definition shares its text with something else, or the text cannot be cut out of its file.
[[nodiscard]] Result<EmittedClosure> emit_closure(const ParsedSource &source, const ClosureSearch &search,
                                                  const clang::FunctionDecl &kernel, const std::string &shown_root);

// "file:line" of a position in a closure's text, by the pieces.
struct Origin {
  std::string file;
  int line = 0;
  [[nodiscard]] std::string text() const { return file + ":" + std::to_string(line); }
};
[[nodiscard]] Origin origin_of(const EmittedClosure &emitted, long offset);

} // namespace kopt
