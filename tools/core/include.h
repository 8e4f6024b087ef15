// Include: the #include lines of a text, found without a preprocessor.
#pragma once

#include "core/disk.h"
#include "core/scan.h"

#include <string>
#include <string_view>
#include <vector>

namespace kopt {

struct IncludeLine {
  long offset = 0, length = 0; // the directive, without its line end
  int line = 0;
  std::string spelled; // k.h
  bool quoted = true;
};

// The #include lines of a text, macros aside.
[[nodiscard]] std::vector<IncludeLine> include_lines(std::string_view text);

// Those lines of `source`'s text that mean the header: found from the source's folder, or where nothing is there, spelled as
// the end of the header's path.
[[nodiscard]] std::vector<IncludeLine> lines_that_include(const Disk &disk, std::string_view text, const fs::path &source,
                                                          const fs::path &header);

// Its #pragma once directives.
[[nodiscard]] std::vector<Stretch> once_pragmas(std::string_view text);

} // namespace kopt
