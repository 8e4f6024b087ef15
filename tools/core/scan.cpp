#include "core/scan.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kopt {
namespace {

enum class Token { Identifier, Punctuation, Literal, Directive };

struct Lexeme {
  Token token;
  std::size_t begin, end;
};

bool starts_identifier(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Cuts a text into tokens, leaving comments and white space out. Numbers are literals, a directive is one token with its
// continuation lines.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Lexeme> run() {
    while (skip_blank(), at_ < text_.size()) {
      auto begin = at_;
      auto token = next();
      lexemes_.push_back({token, begin, at_});
      line_start_ = token == Token::Directive;
    }
    return std::move(lexemes_);
  }

private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_blank() {
    while (at_ < text_.size()) {
      if (peek() == '\n') line_start_ = true;
      if (std::isspace(static_cast<unsigned char>(peek())))
        ++at_;
      else if (peek() == '\\' && peek(1) == '\n')
        at_ += 2;
      else if (peek() == '/' && peek(1) == '/')
        to_line_end();
      else if (peek() == '/' && peek(1) == '*')
        to_past("*/");
      else
        return;
    }
  }

  Token next() {
    if (peek() == '#' && line_start_) return to_line_end(), Token::Directive;
    if (starts_identifier(peek())) {
      auto begin = at_;
      while (in_identifier(peek())) ++at_;
      if (peek() == '"' && text_[at_ - 1] == 'R') return raw_string(begin), Token::Literal;
      return Token::Identifier;
    }
    if (std::isdigit(static_cast<unsigned char>(peek()))) return number(), Token::Literal;
    if (peek() == '"' || peek() == '\'') return quoted(peek()), Token::Literal;
    return ++at_, Token::Punctuation;
  }

  void to_line_end() { // a comment or directive; a block comment in a directive may run over the line's end
    while (at_ < text_.size() && peek() != '\n') {
      if (peek() == '\\' && peek(1) == '\n')
        ++at_;
      else if (peek() == '/' && peek(1) == '*') {
        to_past("*/");
        continue;
      }
      ++at_;
    }
  }

  void to_past(std::string_view mark) {
    auto end = text_.find(mark, at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + mark.size();
  }

  void number() { // with digit separators and exponents
    while (in_identifier(peek()) || peek() == '.' || (peek() == '\'' && in_identifier(peek(1)))) ++at_;
  }

  void quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && peek() != quote && peek() != '\n') at_ += peek() == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
  }

  void raw_string(std::size_t begin) {
    static constexpr std::array prefixes{"R", "LR", "uR", "UR", "u8R"};
    auto prefix = text_.substr(begin, at_ - begin);
    if (std::find(prefixes.begin(), prefixes.end(), prefix) == prefixes.end()) return quoted('"');
    auto open = text_.find('(', at_);
    if (open == std::string_view::npos) return quoted('"');
    auto close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    auto end = text_.find(close, open);
    at_ = end == std::string_view::npos ? text_.size() : end + close.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_start_ = true;
  std::vector<Lexeme> lexemes_;
};

std::string_view spelling(std::string_view text, const Lexeme &lexeme) {
  return text.substr(lexeme.begin, lexeme.end - lexeme.begin);
}

// Index just past the group that opens at `index`.
std::size_t past_group(std::string_view text, const std::vector<Lexeme> &lexemes, std::size_t index) {
  int depth = 0;
  for (; index < lexemes.size(); ++index) {
    auto word = spelling(text, lexemes[index]);
    if (word == "(" || word == "[") ++depth;
    if ((word == ")" || word == "]") && --depth == 0) return index + 1;
  }
  return index;
}

bool in_capitals(std::string_view word) {
  return starts_identifier(word.front()) &&
         std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; });
}

bool takes_arguments(std::string_view word) { // words of a declaration whose parentheses are not the parameter list
  static constexpr std::array words{"__attribute__", "__attribute", "__declspec", "alignas",  "_Alignas",
                                    "decltype",      "__typeof__",  "typeof",     "explicit", "noexcept"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

std::vector<long> declaration_starts(std::string_view text) {
  std::vector<long> starts;
  auto lexemes = Lexer(text).run();
  bool fresh = true;
  for (std::size_t i = 0; i < lexemes.size(); ++i) {
    if (lexemes[i].token == Token::Directive) continue;
    auto word = spelling(text, lexemes[i]);
    if (fresh) starts.push_back(static_cast<long>(lexemes[i].begin));
    if (fresh && in_capitals(word)) {
      auto after = i + 1 < lexemes.size() && spelling(text, lexemes[i + 1]) == "(" ? past_group(text, lexemes, i + 1) : i + 1;
      auto end = lexemes[after - 1].end;
      fresh = after < lexemes.size() && text.substr(end, lexemes[after].begin - end).find('\n') != std::string_view::npos;
      if (fresh) i = after - 1;
    } else {
      fresh = word == ";" || word == "{" || word == "}";
    }
  }
  return starts;
}

std::vector<Stretch> directives_of(std::string_view text) {
  std::vector<Stretch> directives;
  for (const auto &lexeme : Lexer(text).run())
    if (lexeme.token == Token::Directive) directives.push_back({lexeme.begin, lexeme.end});
  return directives;
}

std::vector<std::string> macro_names(std::string_view text) {
  std::vector<std::string> names;
  for (const auto &lexeme : Lexer(text).run()) {
    if (lexeme.token != Token::Directive) continue;
    auto line = spelling(text, lexeme).substr(1);
    auto words = Lexer(line).run();
    if (words.size() < 2 || (spelling(line, words[0]) != "define" && spelling(line, words[0]) != "undef")) continue;
    std::string name(spelling(line, words[1]));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> declarator_of(std::string_view definition) {
  auto lexemes = Lexer(definition).run();
  std::vector<std::string> chain;
  bool joined = false; // the last tokens were `::`
  for (std::size_t i = 0; i < lexemes.size(); ++i) {
    auto word = spelling(definition, lexemes[i]);
    if (word == "(" && !chain.empty()) return chain;
    if (word == "[" || takes_arguments(word)) {
      if (word != "[" && (i + 1 >= lexemes.size() || spelling(definition, lexemes[i + 1]) != "(")) continue;
      i = past_group(definition, lexemes, i) - 1;
      chain.clear();
    } else if (word == ":") {
      joined = true;
      continue;
    } else if (lexemes[i].token == Token::Identifier) {
      if (!joined) chain.clear();
      chain.emplace_back(word);
    } else {
      chain.clear();
    }
    joined = false;
  }
  return {};
}

std::string_view own_head(std::string_view anchor) {
  std::size_t begin = 0;
  for (const auto &lexeme : Lexer(anchor).run())
    if (spelling(anchor, lexeme) == ";") begin = lexeme.end;
  return anchor.substr(begin);
}

bool has_token(std::string_view text, std::string_view identifier) {
  auto lexemes = Lexer(text).run();
  return std::any_of(lexemes.begin(), lexemes.end(),
                     [&](const Lexeme &lexeme) { return spelling(text, lexeme) == identifier; });
}

} // namespace kopt
