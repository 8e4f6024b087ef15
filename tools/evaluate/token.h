// Token: C++ text cut into identifiers, numbers, literals and punctuation, comments and line splices removed; a directive is
// one token.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kopt {

struct Token {
  enum class Kind { Identifier, Number, Literal, Punctuation, Directive };
  Kind kind = Kind::Punctuation;
  std::string text;
  int line = 1;

  [[nodiscard]] bool is(std::string_view word) const { return text == word && kind != Kind::Literal; }
};

[[nodiscard]] std::vector<Token> tokens_of(std::string_view text);

} // namespace kopt
