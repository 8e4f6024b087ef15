#include "store/output.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace kopt {

namespace {

struct Token {
  std::string text;
  bool is_number = false;
  double value = 0;
  double last_digit = 0; // what one unit in the last printed digit is worth; 0 for integers
};

using Line = std::vector<Token>;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The length of a decimal number at the start of `text`, 0 if there is none: sign, digits, fraction, exponent.
std::size_t number_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  std::size_t i = at(0) == '+' || at(0) == '-' ? 1 : 0;
  const std::size_t begin = i;
  while (is_digit(at(i))) ++i;
  if (at(i) == '.' && (is_digit(at(i + 1)) || i > begin))
    for (++i; is_digit(at(i));) ++i;
  if (i == begin) return 0;
  if (at(i) == 'e' || at(i) == 'E') {
    const std::size_t sign = at(i + 1) == '+' || at(i + 1) == '-' ? 1 : 0;
    if (is_digit(at(i + 1 + sign)))
      for (i += 1 + sign; is_digit(at(i));) ++i;
  }
  return i;
}

Token number_token(std::string_view text) {
  Token token{std::string(text), true, std::strtod(std::string(text).c_str(), nullptr), 0};
  const auto exponent = text.find_first_of("eE");
  const auto mantissa = text.substr(0, exponent);
  const auto point = mantissa.find('.');
  if (point == std::string_view::npos && exponent == std::string_view::npos) return token;
  const long decimals = point == std::string_view::npos ? 0 : static_cast<long>(mantissa.size() - point - 1);
  const long power =
      exponent == std::string_view::npos ? 0 : std::strtol(std::string(text.substr(exponent + 1)).c_str(), nullptr, 10);
  token.last_digit = std::pow(10.0, static_cast<double>(power - decimals));
  return token;
}

// Numbers, runs of letters, and single other characters; blanks only separate. A digit inside a word belongs to the word.
Line tokens_of(std::string_view text) {
  Line line;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    // In "a-1" and "3-4" the sign is punctuation.
    const bool after_word = i > 0 && is_word(text[i - 1]) && (text[i] == '+' || text[i] == '-');
    if (const auto length = after_word ? 0 : number_length(text.substr(i)); length > 0) {
      line.push_back(number_token(text.substr(i, length)));
      i += length;
      continue;
    }
    std::size_t end = i + 1;
    if (is_word(text[i]))
      while (end < text.size() && is_word(text[end])) ++end;
    line.push_back({std::string(text.substr(i, end - i)), false, 0, 0});
    i = end;
  }
  return line;
}

std::vector<Line> lines_of(const std::string &text) {
  std::vector<Line> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(tokens_of(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return lines;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

template <std::size_t N> bool is_one_of(const std::string &word, const std::array<const char *, N> &words) {
  return std::find(words.begin(), words.end(), lower(word)) != words.end();
}

// A time or rate: a unit follows ("0.12 s", "3.1 GFLOP/s"), or a word just ahead says so ("elapsed: 0.12").
bool is_timing(const Line &line, std::size_t index) {
  static constexpr std::array units{"s",     "ms",    "us",      "ns",     "sec",    "secs",  "second", "seconds", "msec",
                                    "usec",  "min",   "minutes", "gflops", "mflops", "gflop", "mflop",  "gb",      "mb",
                                    "mlups", "glups", "mups",    "fps",    "hz",     "ticks", "cycles"};
  static constexpr std::array names{"time",  "elapsed",  "runtime", "walltime", "wall",   "seconds", "cpu",
                                    "speed", "duration", "took",    "gflops",   "mflops", "rate",    "bandwidth"};
  if (index + 1 < line.size() && is_one_of(line[index + 1].text, units)) return true;
  for (std::size_t k = index; k-- > 0 && index - k <= 4 && !line[k].is_number;)
    if (is_one_of(line[k].text, names)) return true;
  return false;
}

bool agrees(const Token &a, const Token &b, const OutputTolerance &tolerance) {
  if (a.is_number != b.is_number) return false;
  if (!a.is_number || a.text == b.text) return a.text == b.text;
  const double larger = std::max(std::fabs(a.value), std::fabs(b.value));
  double allowed = std::max(tolerance.absolute, tolerance.relative * larger);
  // Values next to a rounding border of the printed form may differ by one in the last digit, however close they are. Where few
  // digits are printed that is so unlikely that it would hide real differences.
  const double digit = std::max(a.last_digit, b.last_digit);
  if (digit <= 1e-5 * larger) allowed += 1.0001 * digit;
  return std::fabs(a.value - b.value) <= allowed;
}

class Comparer {
public:
  Comparer(const std::vector<std::string> &off, const std::string &on, const OutputTolerance &tolerance)
      : on_(lines_of(on)), tolerance_(tolerance) {
    for (const std::string &text : off) off_.push_back(lines_of(text));
  }

  OutputComparison run() {
    const auto lines = off_.front().size();
    for (const auto &other : off_)
      if (other.size() != lines) return nothing("its runs with variants off print different numbers of lines");
    if (on_.size() != lines) return differs(fmt::format("{} lines are printed instead of {}", on_.size(), lines));
    for (std::size_t k = 0; k < lines && result_.same; ++k) compare_line(k);
    if (!result_.same) return result_;
    if (result_.numbers == 0) return nothing("the application prints no number that is the same in every run");
    result_.text = fmt::format("{} numbers agree", result_.numbers);
    if (result_.ignored > 0) result_.text += fmt::format(", {} that vary from run to run ignored", result_.ignored);
    return result_;
  }

private:
  OutputComparison nothing(const std::string &why) {
    result_.comparable = false;
    result_.text = why;
    return result_;
  }

  OutputComparison differs(const std::string &how) {
    result_.same = false;
    result_.text = how;
    return result_;
  }

  void compare_line(std::size_t k) {
    const Line &line = off_.front()[k];
    for (const auto &other : off_)
      if (other[k].size() != line.size()) {
        result_.ignored += 1;
        return;
      }
    if (on_[k].size() != line.size()) {
      differs(fmt::format("line {} reads differently", k + 1));
      return;
    }
    for (std::size_t i = 0; i < line.size() && result_.same; ++i) compare_token(k, i);
  }

  void compare_token(std::size_t k, std::size_t i) {
    const Token &off = off_.front()[k][i], &on = on_[k][i];
    for (const auto &other : off_)
      if (!agrees(off, other[k][i], tolerance_)) {
        result_.ignored += 1;
        return;
      }
    if (agrees(off, on, tolerance_)) {
      result_.numbers += off.is_number ? 1 : 0;
    } else if (off.is_number && on.is_number && is_timing(off_.front()[k], i)) {
      result_.ignored += 1;
    } else {
      differs(fmt::format("line {}: {} instead of {}", k + 1, on.text, off.text));
    }
  }

  std::vector<std::vector<Line>> off_;
  std::vector<Line> on_;
  OutputTolerance tolerance_;
  OutputComparison result_;
};

} // namespace

OutputComparison compare_outputs(const std::vector<std::string> &off, const std::string &on, const OutputTolerance &tolerance) {
  return Comparer(off, on, tolerance).run();
}

} // namespace kopt
