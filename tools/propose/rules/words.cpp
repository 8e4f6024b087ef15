#include "propose/rules/words.h"

#include <cctype>
#include <functional>

namespace kopt {

namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Where the literal, comment or number that begins at `at` ends; `at` itself if none begins there.
size_t skip_literal(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == '"' || c == '\'') {
    size_t end = at + 1;
    while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) == "/*") {
    const size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (std::isdigit(static_cast<unsigned char>(c))) {
    size_t end = at;
    while (end < text.size() && (in_word(text[end]) || text[end] == '.' || text[end] == '\'')) ++end;
    return end;
  }
  return at;
}

bool is_member(std::string_view before) {
  while (!before.empty() && std::isspace(static_cast<unsigned char>(before.back()))) before.remove_suffix(1);
  return before.ends_with('.') || before.ends_with("->") || before.ends_with("::");
}

// Calls `visit(word, is member)` for each identifier; copies what it returns in place of it, and the rest as it is.
std::string rewrite(std::string_view text, const std::function<std::string(const std::string &, bool)> &visit) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (const size_t end = skip_literal(text, at); end != at) {
      out += text.substr(at, end - at);
      at = end;
    } else if (starts_word(text[at])) {
      size_t after = at;
      while (after < text.size() && in_word(text[after])) ++after;
      out += visit(std::string(text.substr(at, after - at)), is_member(text.substr(0, at)));
      at = after;
    } else {
      out += text[at++];
    }
  }
  return out;
}

} // namespace

std::set<std::string> words_in(std::string_view text) {
  std::set<std::string> words;
  rewrite(text, [&](const std::string &word, bool member) {
    if (!member) words.insert(word);
    return word;
  });
  return words;
}

std::string replace_words(std::string_view text, const std::map<std::string, std::string> &replacements) {
  return rewrite(text, [&](const std::string &word, bool member) {
    const auto found = replacements.find(word);
    return member || found == replacements.end() ? word : found->second;
  });
}

std::string fill_holes(std::string_view pattern, const std::vector<std::string> &holes) {
  std::string out;
  for (size_t at = 0; at < pattern.size();) {
    if (pattern[at] != '@') {
      out += pattern[at++];
      continue;
    }
    size_t number = 0;
    for (++at; at < pattern.size() && std::isdigit(static_cast<unsigned char>(pattern[at])); ++at)
      number = number * 10 + static_cast<size_t>(pattern[at] - '0');
    if (number < holes.size()) out += holes[number];
  }
  return out;
}

Names::Names(std::string_view text) {
  rewrite(text, [&](const std::string &word, bool) {
    taken_.insert(word);
    return word;
  });
}

std::string Names::fresh(const std::string &wanted) {
  std::string name = wanted;
  for (int number = 2; !taken_.insert(name).second; ++number) name = wanted + "_" + std::to_string(number);
  return name;
}

std::string Names::shared(const std::string &wanted) {
  const auto [found, is_new] = shared_.try_emplace(wanted);
  if (is_new) found->second = fresh(wanted);
  return found->second;
}

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

} // namespace kopt
