#include "mep/edit.h"

#include "core/scan.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace kopt {
namespace {

long line_at(std::string_view text, long offset) { return 1 + std::count(text.begin(), text.begin() + offset, '\n'); }

long column_at(std::string_view text, long offset) {
  auto line_break = text.substr(0, static_cast<std::size_t>(offset)).rfind('\n');
  return line_break == std::string_view::npos ? offset : offset - static_cast<long>(line_break) - 1;
}

// Far from where the anchor was recorded: lines where the record has no offset.
long distance(std::string_view text, long offset, const Anchor &anchor) {
  return anchor.offset > 0 ? std::labs(offset - anchor.offset) : std::labs(line_at(text, offset) - anchor.line);
}

// The text with one anchored edit, without the leading #line.
std::string edited(std::string_view original, long offset, long length, const std::string &file, const AnchoredEdit &edit) {
  auto begin = static_cast<std::size_t>(offset), size = static_cast<std::size_t>(length);
  auto column = column_at(original, offset);
  std::string text(original.substr(0, begin));
  if (column > 0) text += '\n';
  text += edit.before;
  if (!edit.before.empty() && edit.before.back() != '\n') text += '\n';
  text += line_directive(line_at(original, offset), file);
  text.append(static_cast<std::size_t>(column), ' '); // columns in diagnostics stay right too
  text += original.substr(begin, size);
  text += edit.after;
  text += original.substr(begin + size);
  return text;
}

} // namespace

std::string line_directive(long line, const std::string &file) {
  std::string name;
  for (char c : file) {
    if (c == '\\' || c == '"') name += '\\';
    name += c;
  }
  return fmt::format("#line {} \"{}\"\n", line, name);
}

Result<long> find_anchor(std::string_view text, const Anchor &anchor) {
  auto where = fmt::format("{}:{}", anchor.file, anchor.line);
  if (anchor.text.empty()) return fail("the record has no text for the kernel's definition", where, "run kopt extract again");
  std::optional<long> best;
  for (long start : declaration_starts(text)) {
    if (text.compare(static_cast<std::size_t>(start), anchor.text.size(), anchor.text) != 0) continue;
    if (!best || distance(text, start, anchor) < distance(text, *best, anchor)) best = start;
  }
  if (!best) return fail("the kernel's definition is no longer as recorded", where, "run kopt tune again for this kernel");
  return *best;
}

std::string apply_edit(std::string_view original, long offset, long length, const std::string &file, const AnchoredEdit &edit) {
  return line_directive(1, file) + edited(original, offset, length, file, edit);
}

void Edits::add(long offset, long length, const AnchoredEdit &edit) {
  Anchored &place = anchored_[offset];
  place.length = length;
  place.edit.before += edit.before;
  place.edit.after += edit.after;
}

void Edits::replace(long offset, long length, std::string text) { replaced_[offset] = {length, std::move(text)}; }

std::string Edits::apply(std::string_view original, const std::string &file) const {
  std::string text(original);
  // From the last to the first, so that what is ahead of each still has its original lines.
  auto anchored = anchored_.rbegin();
  auto replaced = replaced_.rbegin();
  while (anchored != anchored_.rend() || replaced != replaced_.rend()) {
    if (replaced == replaced_.rend() || (anchored != anchored_.rend() && anchored->first > replaced->first)) {
      text = edited(text, anchored->first, anchored->second.length, file, anchored->second.edit);
      ++anchored;
    } else {
      text.replace(static_cast<std::size_t>(replaced->first), static_cast<std::size_t>(replaced->second.length),
                   replaced->second.text);
      ++replaced;
    }
  }
  // An editor can only be relied on to leave a byte order mark at the very start of a file; ours has other text there.
  static constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.erase(0, mark.size());
  return line_directive(1, file) + text;
}

} // namespace kopt
