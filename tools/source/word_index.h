// WordIndex: which sources of a target mention which of some words, as whole identifiers. Each source is read once, whatever
// the number of words: a target may have hundreds of sources, and kernels in few of them.
#pragma once

#include "core/disk.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kopt {

class WordIndex {
public:
  WordIndex(const Disk &disk, const std::vector<std::string> &sources, const std::set<std::string> &words);

  // In the order of the sources.
  [[nodiscard]] const std::vector<std::string> &sources_with(const std::string &word) const;

private:
  void note(const std::string &source, std::string_view text);

  std::map<std::string, std::vector<std::string>, std::less<>> sources_;
};

} // namespace kopt
