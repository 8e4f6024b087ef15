#include "core/include.h"

#include <algorithm>

namespace kopt {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// What follows a directive's name, or nothing if it is another directive.
std::string_view after_name(std::string_view directive, std::string_view name) {
  auto rest = trimmed(directive.substr(1)); // past the #
  if (!rest.starts_with(name)) return {};
  return trimmed(rest.substr(name.size()));
}

bool is_end_of(const fs::path &path, const std::string &end) {
  const std::string whole = path.string(), tail = fs::path(end).lexically_normal().string();
  return whole == tail || whole.ends_with("/" + tail);
}

} // namespace

std::vector<IncludeLine> include_lines(std::string_view text) {
  std::vector<IncludeLine> lines;
  for (const auto &directive : directives_of(text)) {
    const auto rest = after_name(text.substr(directive.begin, directive.end - directive.begin), "include");
    if (rest.size() < 2 || (rest.front() != '"' && rest.front() != '<')) continue;
    const auto end = rest.find(rest.front() == '"' ? '"' : '>', 1);
    if (end == std::string_view::npos) continue;
    lines.push_back({static_cast<long>(directive.begin), static_cast<long>(directive.end - directive.begin),
                     1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(directive.begin), '\n')),
                     std::string(rest.substr(1, end - 1)), rest.front() == '"'});
  }
  return lines;
}

std::vector<IncludeLine> lines_that_include(const Disk &disk, std::string_view text, const fs::path &source,
                                            const fs::path &header) {
  auto lines = include_lines(text);
  std::erase_if(lines, [&](const IncludeLine &line) {
    const fs::path beside = (source.parent_path() / line.spelled).lexically_normal();
    if (line.quoted && beside == header) return false;
    return (line.quoted && disk.exists(beside)) || !is_end_of(header, line.spelled);
  });
  return lines;
}

std::vector<Stretch> once_pragmas(std::string_view text) {
  auto directives = directives_of(text);
  std::erase_if(directives, [&](const Stretch &one) {
    return !after_name(text.substr(one.begin, one.end - one.begin), "pragma").starts_with("once");
  });
  return directives;
}

} // namespace kopt
