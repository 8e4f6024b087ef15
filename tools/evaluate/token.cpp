#include "evaluate/token.h"

#include <cctype>

namespace kopt {

namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || (c & 0x80) != 0; }
bool continues_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (skip_space()) {
      if (at_line_start_ && peek() == '#')
        take_directive();
      else
        take_token();
    }
    return std::move(tokens_);
  }

private:
  // The current character after line splices; '\0' at the end.
  char peek(std::size_t ahead = 0) {
    skip_splices();
    std::size_t at = at_;
    for (; ahead > 0 && at < text_.size(); --ahead) {
      ++at;
      while (text_.substr(at, 2) == "\\\n") at += 2;
    }
    return at < text_.size() ? text_[at] : '\0';
  }
  void skip_splices() {
    while (text_.substr(at_, 2) == "\\\n") {
      at_ += 2;
      ++line_;
    }
  }
  char next() {
    const char c = peek();
    if (c == '\n') {
      ++line_;
      at_line_start_ = true;
    }
    if (at_ < text_.size()) ++at_;
    return c;
  }

  bool done() {
    skip_splices();
    return at_ >= text_.size();
  }

  // To the next token; false at the end.
  bool skip_space() {
    while (!done()) {
      if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        next();
      } else if (!skip_comment()) {
        return true;
      }
    }
    return false;
  }

  bool skip_comment() {
    if (peek() != '/') return false;
    if (peek(1) == '/') {
      while (!done() && peek() != '\n') next();
      return true;
    }
    if (peek(1) != '*') return false;
    next(), next();
    while (!done() && !(peek() == '*' && peek(1) == '/')) next();
    next(), next();
    return true;
  }

  void add(Token::Kind kind, std::string text, int line) {
    tokens_.push_back({kind, std::move(text), line});
    at_line_start_ = false;
  }

  void take_directive() {
    const int line = line_;
    std::string text;
    while (!done() && peek() != '\n') {
      if (skip_comment())
        text += ' ';
      else
        text += next();
    }
    add(Token::Kind::Directive, std::move(text), line);
  }

  void take_token() {
    const int line = line_;
    const char first = peek();
    if (first == '"' || first == '\'') return take_quoted(first, line);
    std::string text(1, next());
    if (starts_name(first)) {
      while (!done() && continues_name(peek())) text += next();
      if (peek() == '"' && text.back() == 'R') return take_raw(line);
      return add(Token::Kind::Identifier, std::move(text), line);
    }
    const bool number = std::isdigit(static_cast<unsigned char>(first)) != 0 ||
                        (first == '.' && std::isdigit(static_cast<unsigned char>(peek())) != 0);
    if (!number) return take_punctuation(std::move(text), line);
    while (!done() && (continues_name(peek()) || peek() == '.' || peek() == '\'' || is_exponent_sign(text.back())))
      text += next();
    add(Token::Kind::Number, std::move(text), line);
  }

  bool is_exponent_sign(char before) {
    return (peek() == '+' || peek() == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
  }

  void take_quoted(char quote, int line) {
    std::string text(1, next());
    while (!done() && peek() != quote && peek() != '\n') {
      if (peek() == '\\') text += next();
      text += next();
    }
    if (peek() == quote) text += next();
    add(Token::Kind::Literal, std::move(text), line);
  }

  void take_raw(int line) {
    std::string delimiter = ")";
    next();
    while (!done() && peek() != '(') delimiter += next();
    delimiter += '"';
    const std::size_t end = text_.find(delimiter, at_);
    const std::size_t stop = end == std::string_view::npos ? text_.size() : end + delimiter.size();
    while (at_ < stop) next();
    add(Token::Kind::Literal, "R\"...\"", line);
  }

  void take_punctuation(std::string text, int line) {
    for (const std::string_view pair : {"::", "->", "%:", "??", "<%", "%>", "##"})
      if (text[0] == pair[0] && peek() == pair[1]) {
        text += next();
        break;
      }
    add(Token::Kind::Punctuation, std::move(text), line);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool at_line_start_ = true;
  std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> tokens_of(std::string_view text) { return Lexer(text).run(); }

} // namespace kopt
