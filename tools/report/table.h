// Table: rows of text in aligned columns, and how KernelOpt writes times and speedups in them.
#pragma once

#include "core/verdict.h"

#include <string>
#include <vector>

namespace kopt {

class Table {
public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // Columns separated by two spaces, the header underlined; the last column is not padded.
  [[nodiscard]] std::string text() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

[[nodiscard]] std::string size_text(std::size_t bytes);          // 820 B, 12.4 kB, 1.2 MB
[[nodiscard]] std::string time_text(double nanoseconds);         // "1.24 ms"
[[nodiscard]] std::string rounding_text(const Verdict &verdict); // "as before", or what the variant changes about it
[[nodiscard]] std::string speedup_text(const Verdict &verdict);  // "4.10x [4.02, 4.19]", "-" where not timed

// "call-1 (62 % of the time) 3.10x, call-12 (38 %) 1.20x"; empty where fewer than two cases were timed.
[[nodiscard]] std::string cases_text(const Verdict &verdict);

} // namespace kopt
