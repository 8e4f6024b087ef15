#include "core/plan.h"

#include "core/feature.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace kopt {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Splits at `separator` outside parentheses and brackets; a word separator ("and") must stand alone.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  const bool word = std::isalpha(static_cast<unsigned char>(separator[0])) != 0;
  const auto blank = [&](std::size_t i) { return i >= text.size() || std::isspace(static_cast<unsigned char>(text[i])) != 0; };
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    const bool here = depth == 0 && text.substr(i, separator.size()) == separator;
    if (!here || (word && !(i > 0 && blank(i - 1) && blank(i + separator.size())))) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    i += separator.size() - 1;
    begin = i + 1;
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

// "name(inside)" -> inside, when the text is exactly that call.
std::optional<std::string_view> call_of(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return std::nullopt;
  const std::string_view rest = trimmed(text.substr(name.size()));
  if (!rest.starts_with('(') || !rest.ends_with(')')) return std::nullopt;
  return trimmed(rest.substr(1, rest.size() - 2));
}

Result<Span> parse_span(std::string_view text, const std::string &where) {
  const auto bracket = text.find('[');
  if (bracket == std::string_view::npos || !text.ends_with(']'))
    return fail(fmt::format("'{}' is not a range", text), where, "write pointer[begin : end], in elements");
  const auto bounds = split(text.substr(bracket + 1, text.size() - bracket - 2), " : ");
  if (bounds.size() != 2)
    return fail(fmt::format("'{}' needs two bounds", text), where, "write pointer[begin : end], in elements");
  KOPT_TRY(begin, Expression::parse(bounds[0]));
  KOPT_TRY(end, Expression::parse(bounds[1]));
  return Span{std::string(trimmed(text.substr(0, bracket))), begin, end};
}

Result<Guard> parse_guard(std::string_view text, const std::string &where) {
  Guard guard;
  if (const auto inside = call_of(text, "disjoint")) {
    guard.kind = Guard::Kind::Disjoint;
    for (const std::string_view part : split(*inside, ",")) {
      KOPT_TRY(span, parse_span(part, where));
      guard.spans.push_back(span);
    }
    if (guard.spans.size() < 2) return fail("disjoint needs at least two ranges", where);
    return guard;
  }
  if (const auto inside = call_of(text, "aligned")) {
    const auto parts = split(*inside, ",");
    if (parts.size() != 2) return fail("aligned needs a pointer and a number of bytes", where);
    KOPT_TRY(bytes, Expression::parse(parts[1]));
    KOPT_TRY(value, bytes.evaluate_integer([](const std::string &) { return std::nullopt; }));
    if (value <= 0 || (value & (value - 1)) != 0) return fail("an alignment is a power of two", where);
    guard.kind = Guard::Kind::Aligned;
    guard.pointer = parts[0];
    guard.bytes = value;
    return guard;
  }
  if (const auto inside = call_of(text, "cpu")) {
    if (!is_feature(*inside))
      return fail(fmt::format("'{}' is not a processor feature that can be asked for", *inside), where,
                  "write it as GCC does: avx2, fma, avx512f");
    guard.kind = Guard::Kind::Cpu;
    guard.feature = *inside;
    return guard;
  }
  auto expression = Expression::parse(text);
  if (!expression) return fail(expression.error().what, where + ": " + expression.error().where, expression.error().remedy);
  guard.expression.push_back(*expression);
  return guard;
}

std::string guard_text(const Guard &guard) {
  if (guard.kind == Guard::Kind::Aligned) return fmt::format("aligned({}, {})", guard.pointer, guard.bytes);
  if (guard.kind == Guard::Kind::Cpu) return fmt::format("cpu({})", guard.feature);
  if (guard.kind == Guard::Kind::Expression) return guard.expression.front().text();
  std::string spans;
  for (const Span &span : guard.spans)
    spans += fmt::format("{}{}[{} : {}]", spans.empty() ? "" : ", ", span.pointer, span.begin.text(), span.end.text());
  return "disjoint(" + spans + ")";
}

bool is_identifier(std::string_view text) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::all_of(text.begin(), text.end(), part);
}

} // namespace

Result<Plan> Plan::parse(std::string_view text, const std::string &where) {
  Plan plan;
  int number = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::string here = fmt::format("{}:{}", where, number);
    if (line.starts_with("require ")) {
      // `and` binds tighter than `or`: a line with `or` is one guard.
      const std::string_view condition = trimmed(line.substr(8));
      const auto parts = split(condition, "or").size() > 1 ? std::vector{condition} : split(condition, "and");
      for (const std::string_view part : parts) {
        KOPT_TRY(guard, parse_guard(part, here));
        plan.guards.push_back(guard);
      }
    } else if (line.starts_with("call ")) {
      plan.call = trimmed(line.substr(5));
      if (!is_identifier(plan.call)) return fail(fmt::format("'{}' is not a function name", plan.call), here);
    } else {
      return fail(fmt::format("unknown line '{}'", line), here,
                  "a plan has lines `require ...` and `call NAME` (docs/formats.md)");
    }
  }
  return plan;
}

std::string Plan::text() const {
  std::string text;
  for (const Guard &guard : guards) text += "require " + guard_text(guard) + "\n";
  return text + "call " + call + "\n";
}

} // namespace kopt
