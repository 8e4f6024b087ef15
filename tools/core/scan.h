// Scan: looking at C++ source without parsing it: what is code, what is comment, literal or directive.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kopt {

// Offsets of tokens at which a declaration can start: the first of the text, each that follows `;`, `{` or `}`, and each that
// follows a macro in capitals, with or without arguments, on a line of its own (BEGIN_NAMESPACE). Directives in between do not
// matter.
[[nodiscard]] std::vector<long> declaration_starts(std::string_view text);

// The preprocessor's directives of a text: from the `#` to the end of the (continued) line, comments included.
struct Stretch {
  std::size_t begin = 0, end = 0;
};
[[nodiscard]] std::vector<Stretch> directives_of(std::string_view text);

// Names that `#define` and `#undef` lines of the text mention, each once, in order.
[[nodiscard]] std::vector<std::string> macro_names(std::string_view text);

// The qualified name just ahead of the parameter list in the text of a function's definition (its anchor): {"heat", "diffuse"}.
[[nodiscard]] std::vector<std::string> declarator_of(std::string_view definition);

// The part of an anchor's text that is the definition's own: of a function inside a class what follows the member before it.
[[nodiscard]] std::string_view own_head(std::string_view anchor);

// Whether an identifier occurs as a token of code.
[[nodiscard]] bool has_token(std::string_view text, std::string_view identifier);

} // namespace kopt
