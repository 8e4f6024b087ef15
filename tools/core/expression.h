// Expression: arithmetic over scalar leaves in plans and CASES extents (grammar: docs/formats.md, "Plan").
#pragma once

#include "core/error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace kopt {

using Value = std::variant<std::int64_t, double>;

class Expression {
public:
  // `path`s are resolved by the lookup; nothing: the symbol has no value.
  using Lookup = std::function<std::optional<Value>(const std::string &path)>;
  // How a symbol is spelled in C++ ("g.nx" as it is, or "(*p).x").
  using Spell = std::function<std::string(const std::string &path)>;

  // Parses the whole text; the error names the column.
  static Result<Expression> parse(std::string_view text);

  // An unknown symbol, integer overflow, or division by zero is an error.
  [[nodiscard]] Result<Value> evaluate(const Lookup &lookup) const;
  [[nodiscard]] Result<std::int64_t> evaluate_integer(const Lookup &lookup) const;
  [[nodiscard]] std::set<std::string> symbols() const;
  // As C++ that computes in long long or double. Operations that could overflow or divide by zero go through the
  // functions of the guard prelude (`kopt_guard::add(ok, a, b)` ...), which clear `ok` instead.
  [[nodiscard]] std::string cpp(const Spell &spell) const;
  [[nodiscard]] std::string text() const;

  struct Node; // grammar tree, in expression.cpp
  explicit Expression(std::shared_ptr<const Node> root) : root_(std::move(root)) {}

private:
  std::shared_ptr<const Node> root_;
};

} // namespace kopt
