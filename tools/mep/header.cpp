#include "mep/header.h"

#include "core/hash.h"
#include "core/include.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {
namespace {

// The header's own text as it can stand in another file. Lines keep their numbers.
std::string movable(const Disk &disk, std::string text, const fs::path &header) {
  const auto lines = include_lines(text);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const fs::path target = (header.parent_path() / line->spelled).lexically_normal();
    if (!line->quoted || fs::path(line->spelled).is_absolute() || !disk.exists(target)) continue;
    text.replace(static_cast<std::size_t>(line->offset), static_cast<std::size_t>(line->length),
                 fmt::format("#include \"{}\"", target.string()));
  }
  const auto pragmas = once_pragmas(text);
  for (auto one = pragmas.rbegin(); one != pragmas.rend(); ++one)
    text.replace(one->begin, one->end - one->begin, "/* #pragma once: guarded around this text */");
  return text;
}

} // namespace

Result<void> put_in_header(const Disk &disk, std::string_view text, const fs::path &source, const fs::path &header,
                           const std::string &header_text, const Edits &header_edits, Edits &source_edits) {
  const auto lines = lines_that_include(disk, text, source, header);
  if (lines.empty())
    return fail(fmt::format("{} no longer includes {} itself", source.string(), header.string()), source.string() + ":1",
                "include it there, or run `ninja kopt-tune`");
  std::string edited = movable(disk, header_edits.apply(header_text, header.string()), header);
  if (!edited.ends_with('\n')) edited += '\n';
  if (!once_pragmas(header_text).empty()) {
    const std::string guard = "KOPT_ONCE_" + hash_of(header.string()).substr(0, 12);
    edited = fmt::format("#ifndef {0}\n#define {0} 1\n{1}#endif\n", guard, edited);
  }
  for (const IncludeLine &line : lines) {
    const auto begin = static_cast<std::size_t>(line.offset), size = static_cast<std::size_t>(line.length);
    const auto lines_taken = std::count(text.begin() + line.offset, text.begin() + line.offset + line.length, '\n');
    const bool at_line_end = begin + size >= text.size() || text[begin + size] == '\n' || text[begin + size] == '\r';
    source_edits.replace(line.offset, line.length + (at_line_end && begin + size < text.size() ? 1 : 0),
                         edited + line_directive(line.line + 1 + lines_taken, source.string()));
  }
  return {};
}

} // namespace kopt
