#include "source/word_index.h"

#include <algorithm>
#include <array>

namespace kopt {

namespace {

// What an identifier may be made of.
constexpr auto is_word = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c)
    table.at(static_cast<std::size_t>(c)) =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  return table;
}();

bool in_word(char c) { return is_word[static_cast<unsigned char>(c)]; }

} // namespace

WordIndex::WordIndex(const Disk &disk, const std::vector<std::string> &sources, const std::set<std::string> &words) {
  for (const std::string &word : words) sources_[word];
  for (const std::string &source : sources)
    if (const auto text = disk.read(source)) note(source, *text);
}

void WordIndex::note(const std::string &source, std::string_view text) {
  std::size_t longest = 0;
  for (const auto &[word, found] : sources_) longest = std::max(longest, word.size());
  for (std::size_t at = 0; at < text.size();) {
    if (!in_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end - at <= longest)
      if (const auto word = sources_.find(text.substr(at, end - at)); word != sources_.end())
        if (word->second.empty() || word->second.back() != source) word->second.push_back(source);
    at = end;
  }
}

const std::vector<std::string> &WordIndex::sources_with(const std::string &word) const {
  static const std::vector<std::string> none;
  const auto found = sources_.find(word);
  return found == sources_.end() ? none : found->second;
}

} // namespace kopt
