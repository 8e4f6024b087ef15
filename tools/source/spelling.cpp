#include "source/spelling.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace kopt {
namespace {

using Words = std::vector<std::string>;

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Qualified names are one word each: `std::pair`. A leading `::` is dropped.
Words words_of(std::string_view text) {
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && (in_word(text[end]) || text.substr(end, 2) == "::")) end += in_word(text[end]) ? 1 : 2;
    if (end == at) end = at + 1;
    std::string word(text.substr(at, end - at));
    if (word.starts_with("::")) word.erase(0, 2);
    static const std::set<std::string> ignored = {"struct", "class", "enum", "union", "typename", ""};
    if (!ignored.contains(word)) words.push_back(std::move(word));
    at = end;
  }
  return words;
}

// Names in front of the first `*`, `&`, `[` or `(` outside template arguments.
std::size_t end_of_base(const Words &words) {
  int depth = 0;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == "<") ++depth;
    if (words[k] == ">") --depth;
    static const std::set<std::string> declarator = {"*", "&", "[", "("};
    if (depth == 0 && declarator.contains(words[k])) return k;
  }
  return words.size();
}

bool is_qualifier(const std::string &word) { return word == "const" || word == "volatile"; }

// {"long", "unsigned"} for what C++ calls unsigned long, in any order and with or without int.
Words in_canonical_order(Words base) {
  static const std::set<std::string> integers = {"signed", "unsigned", "short", "long", "int", "char"};
  if (base.empty() || !std::all_of(base.begin(), base.end(), [](const auto &word) { return integers.contains(word); }))
    return base;
  const bool is_char = std::find(base.begin(), base.end(), "char") != base.end();
  std::erase(base, "int");
  if (!is_char) std::erase(base, "signed");
  std::sort(base.begin(), base.end());
  if (base.empty() || base == Words{"unsigned"}) base.push_back("int");
  return base;
}

// `[4]` of a parameter is `*`, `[][4]` is `(*)[4]`.
void decay(Words &declarator) {
  if (declarator.empty() || declarator.front() != "[") return;
  const auto close = std::find(declarator.begin(), declarator.end(), "]");
  if (close == declarator.end()) return;
  declarator.erase(declarator.begin(), close + 1);
  const Words pointer = declarator.empty() ? Words{"*"} : Words{"(", "*", ")"};
  declarator.insert(declarator.begin(), pointer.begin(), pointer.end());
}

Words normal(std::string_view text) {
  const Words words = words_of(text);
  const std::size_t cut = end_of_base(words);
  Words base, qualifiers, declarator(words.begin() + static_cast<long>(cut), words.end());
  int depth = 0;
  for (std::size_t k = 0; k < cut; ++k) {
    if (words[k] == "<") ++depth;
    if (words[k] == ">") --depth;
    (depth == 0 && is_qualifier(words[k]) ? qualifiers : base).push_back(words[k]);
  }
  decay(declarator);
  while (!declarator.empty() && is_qualifier(declarator.back())) declarator.pop_back(); // of the parameter itself
  if (declarator.empty()) qualifiers.clear();
  std::sort(qualifiers.begin(), qualifiers.end());
  Words all = qualifiers;
  base = in_canonical_order(std::move(base));
  all.insert(all.end(), base.begin(), base.end());
  all.insert(all.end(), declarator.begin(), declarator.end());
  return all;
}

// `Grid` for `heat::Grid`.
bool same_word(const std::string &asked, const std::string &spelled) {
  return asked == spelled || (spelled.size() > asked.size() + 2 && spelled.ends_with("::" + asked));
}

} // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    std::string_view part = text.substr(begin, end - begin);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    parts.emplace_back(part);
    begin = end + 1;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '<' || text[at] == '(' || text[at] == '[') ++depth;
    if (text[at] == '>' || text[at] == ')' || text[at] == ']') --depth;
    if (text[at] == ',' && depth == 0) add(at);
  }
  add(text.size());
  if (parts.size() == 1 && (parts[0].empty() || parts[0] == "void")) parts.clear();
  return parts;
}

bool same_type(std::string_view asked, std::string_view spelled) {
  const Words a = normal(asked), b = normal(spelled);
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_word);
}

bool same_argument(std::string_view asked, std::string_view spelled) {
  if (asked.empty()) return false;
  if (std::isdigit(static_cast<unsigned char>(asked.front())) != 0) { // 4u, 4UL
    while (std::string_view("uUlL").find(asked.back()) != std::string_view::npos) asked.remove_suffix(1);
    while (std::string_view("uUlL").find(spelled.back()) != std::string_view::npos) spelled.remove_suffix(1);
    return asked == spelled;
  }
  // An argument keeps its own const: scale<const double> is another instantiation.
  const auto is_const = [](std::string_view text) {
    const Words words = words_of(text);
    return words.size() > 1 && end_of_base(words) == words.size() && (words.front() == "const" || words.back() == "const");
  };
  return is_const(asked) == is_const(spelled) && same_type(asked, spelled);
}

} // namespace kopt
