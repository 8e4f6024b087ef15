// Words: the identifiers in a piece of C++ text. Member names (after `.`, `->` or `::`), literals and comments are not words.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kopt {

[[nodiscard]] std::set<std::string> words_in(std::string_view text);

// The text with each word found in `replacements` replaced.
[[nodiscard]] std::string replace_words(std::string_view text, const std::map<std::string, std::string> &replacements);

// A statement's template with the k-th of `holes` in place of @k.
[[nodiscard]] std::string fill_holes(std::string_view pattern, const std::vector<std::string> &holes);

// Invents names that a text does not use: `wanted`, or `wanted` with a number.
class Names {
public:
  explicit Names(std::string_view text);
  [[nodiscard]] std::string fresh(const std::string &wanted);
  // The same name each time it is wanted: a parameter that several nests share.
  [[nodiscard]] std::string shared(const std::string &wanted);

private:
  std::set<std::string> taken_; // every identifier, members included
  std::map<std::string, std::string> shared_;
};

[[nodiscard]] std::string trimmed(std::string_view text);

} // namespace kopt
