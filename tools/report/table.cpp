#include "report/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kopt {

namespace {

// Columns count code points, not bytes.
std::size_t width(const std::string &text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

} // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const auto &row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], width(row[i]));
    }
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line, rule;
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      const bool last = i + 1 == rows_[r].size();
      line += rows_[r][i] + (last ? "" : std::string(widths[i] - width(rows_[r][i]) + 2, ' '));
      rule += std::string(widths[i], '-') + (last ? "" : "  ");
    }
    text += line + "\n";
    if (r == 0) text += rule + "\n";
  }
  return text;
}

std::string size_text(std::size_t bytes) {
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string time_text(double nanoseconds) {
  if (nanoseconds <= 0) return "-";
  if (nanoseconds < 1e3) return fmt::format("{:.0f} ns", nanoseconds);
  if (nanoseconds < 1e6) return fmt::format("{:.3g} us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return fmt::format("{:.3g} ms", nanoseconds / 1e6);
  return fmt::format("{:.3g} s", nanoseconds / 1e9);
}

std::string rounding_text(const Verdict &verdict) {
  return verdict.precision.empty() ? "as before" : fmt::format("{}", fmt::join(verdict.precision, ", "));
}

std::string speedup_text(const Verdict &verdict) {
  if (verdict.speedup <= 0) return "-";
  return fmt::format("{:.2f}x [{:.2f}, {:.2f}]", verdict.speedup, verdict.low, verdict.high);
}

std::string cases_text(const Verdict &verdict) {
  std::string text;
  for (const CaseTiming &timing : verdict.cases) {
    const std::string share =
        timing.weight > 0 ? fmt::format(" ({:.3g} %{})", 100 * timing.weight, text.empty() ? " of the time" : "") : "";
    text += fmt::format("{}{}{} {:.2f}x", text.empty() ? "" : ", ", timing.name, share, timing.speedup);
  }
  return verdict.cases.size() < 2 ? "" : text;
}

} // namespace kopt
