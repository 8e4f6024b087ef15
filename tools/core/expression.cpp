#include "core/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace kopt {

// A node of the grammar tree: a number, a symbol, or an operator or function with operands.
struct Expression::Node {
  enum class Kind { Number, Symbol, Operation };
  Kind kind = Kind::Number;
  Value number = std::int64_t{0};
  std::string name; // symbol's path, or operator as written: + - neg * / % < <= > >= == != and or not min max ceil_div
  std::vector<std::shared_ptr<const Node>> operands;
};

namespace {

using Node = Expression::Node;
using NodePointer = std::shared_ptr<const Node>;

NodePointer operation(std::string name, std::vector<NodePointer> operands) {
  return std::make_shared<Node>(Node{Node::Kind::Operation, std::int64_t{0}, std::move(name), std::move(operands)});
}

// Recursive descent: or < and < not < comparison < sum < product < unary < primary.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<NodePointer> whole() {
    NodePointer node = disjunction();
    skip();
    if (error_.empty() && position_ < text_.size()) error_ = fmt::format("unexpected '{}'", text_.substr(position_, 1));
    if (error_.empty()) return node;
    return fail(fmt::format("{} at column {}", error_, position_ + 1), fmt::format("expression \"{}\"", text_),
                "the grammar is in docs/formats.md under \"Plan\"");
  }

private:
  void skip() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
  }

  bool take(std::string_view token) {
    skip();
    if (text_.substr(position_, token.size()) != token) return false;
    if (std::isalpha(static_cast<unsigned char>(token[0])) != 0) { // a word must end here
      const std::size_t after = position_ + token.size();
      if (after < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[after])) != 0 || text_[after] == '_'))
        return false;
    }
    position_ += token.size();
    return true;
  }

  NodePointer give_up(std::string what) {
    if (error_.empty()) error_ = std::move(what);
    return std::make_shared<Node>();
  }

  // One level of left-associative binary operators; `operators` longest first.
  template <typename Next> NodePointer chain(const std::vector<std::string> &operators, Next next) {
    NodePointer left = next();
    while (error_.empty()) {
      const auto found = std::find_if(operators.begin(), operators.end(), [&](const std::string &word) { return take(word); });
      if (found == operators.end()) break;
      NodePointer right = next();
      left = operation(*found, {left, right});
    }
    return left;
  }

  NodePointer disjunction() {
    return chain({"or"}, [&] { return conjunction(); });
  }
  NodePointer conjunction() {
    return chain({"and"}, [&] { return negation(); });
  }
  NodePointer negation() {
    return take("not") ? operation("not", {nested([&] { return negation(); })}) : comparison();
  }
  NodePointer comparison() {
    return chain({"<=", ">=", "==", "!=", "<", ">"}, [&] { return sum(); });
  }
  NodePointer sum() {
    return chain({"+", "-"}, [&] { return product(); });
  }
  NodePointer product() {
    return chain({"*", "/", "%"}, [&] { return unary(); });
  }
  NodePointer unary() {
    return take("-") ? operation("neg", {nested([&] { return unary(); })}) : primary();
  }

  // Bounds the recursion, so that hostile input cannot exhaust the stack.
  template <typename Next> NodePointer nested(Next next) {
    if (++depth_ > 200) return give_up("nested too deeply");
    NodePointer node = next();
    --depth_;
    return node;
  }

  NodePointer primary() {
    skip();
    if (take("(")) {
      NodePointer inner = nested([&] { return disjunction(); });
      return take(")") ? inner : give_up("expected ')'");
    }
    if (position_ >= text_.size()) return give_up("expected a value");
    const auto c = static_cast<unsigned char>(text_[position_]);
    if (std::isdigit(c) != 0 || c == '.') return number();
    if (std::isalpha(c) != 0 || c == '_') return word();
    return give_up(fmt::format("unexpected '{}'", text_.substr(position_, 1)));
  }

  NodePointer number() {
    const char *first = text_.data() + position_, *last = text_.data() + text_.size();
    Node node;
    std::int64_t integer = 0;
    double real = 0;
    const auto as_integer = std::from_chars(first, last, integer);
    const auto as_real = std::from_chars(first, last, real);
    if (as_real.ec != std::errc{}) return give_up("not a number");
    if (as_integer.ec == std::errc{} && as_integer.ptr == as_real.ptr)
      node.number = integer;
    else
      node.number = real;
    position_ += static_cast<std::size_t>(as_real.ptr - first);
    return std::make_shared<Node>(node);
  }

  NodePointer word() {
    const std::size_t begin = position_;
    const auto part = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
    };
    while (position_ < text_.size() && part(text_[position_])) {
      if (text_[position_] == ':' && text_.substr(position_, 2) != "::") break;
      position_ += text_[position_] == ':' ? 2 : 1;
    }
    if (text_.substr(position_, 2) == "()") position_ += 2; // u.size()
    std::string name(text_.substr(begin, position_ - begin));
    if (name.ends_with(')') || !take("(")) {
      Node node;
      node.kind = Node::Kind::Symbol;
      node.name = std::move(name);
      return std::make_shared<Node>(node);
    }
    return call(std::move(name));
  }

  NodePointer call(std::string name) {
    if (name != "min" && name != "max" && name != "ceil_div") return give_up(fmt::format("unknown function '{}'", name));
    NodePointer first = nested([&] { return disjunction(); });
    if (!take(",")) return give_up(fmt::format("'{}' takes two values", name));
    NodePointer second = nested([&] { return disjunction(); });
    if (!take(")")) return give_up("expected ')'");
    return operation(std::move(name), {first, second});
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
  std::string error_;
};

bool truth(const Value &value) {
  return std::visit([](auto number) { return number != 0; }, value);
}

double real(const Value &value) {
  return std::visit([](auto number) { return static_cast<double>(number); }, value);
}

Value boolean(bool value) { return static_cast<std::int64_t>(value ? 1 : 0); }

template <typename T> std::optional<Value> compare(const std::string &name, T a, T b) {
  if (name == "<") return boolean(a < b);
  if (name == "<=") return boolean(a <= b);
  if (name == ">") return boolean(a > b);
  if (name == ">=") return boolean(a >= b);
  if (name == "==") return boolean(a == b);
  if (name == "!=") return boolean(a != b);
  if (name == "min") return Value(std::min(a, b));
  if (name == "max") return Value(std::max(a, b));
  return std::nullopt;
}

std::optional<Value> on_integers(const std::string &name, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (name == "+" && !__builtin_add_overflow(a, b, &result)) return result;
  if (name == "-" && !__builtin_sub_overflow(a, b, &result)) return result;
  if (name == "*" && !__builtin_mul_overflow(a, b, &result)) return result;
  if ((name == "/" || name == "%" || name == "ceil_div") && (b == 0 || (b == -1 && a == INT64_MIN))) return std::nullopt;
  if (name == "/") return a / b;
  if (name == "%") return a % b;
  if (name == "ceil_div") return a / b + ((a % b != 0 && ((a < 0) == (b < 0))) ? 1 : 0);
  return compare(name, a, b);
}

std::optional<Value> on_reals(const std::string &name, double a, double b) {
  if (name == "+") return a + b;
  if (name == "-") return a - b;
  if (name == "*") return a * b;
  if (name == "/" && b != 0) return a / b;
  if (name == "%" && b != 0) return std::fmod(a, b);
  if (name == "ceil_div" && b != 0) return std::ceil(a / b);
  return compare(name, a, b);
}

Result<Value> evaluate_node(const Node &node, const Expression::Lookup &lookup) {
  if (node.kind == Node::Kind::Number) return node.number;
  if (node.kind == Node::Kind::Symbol) {
    if (auto value = lookup(node.name)) return *value;
    return fail(fmt::format("'{}' has no value here", node.name));
  }
  KOPT_TRY(first, evaluate_node(*node.operands[0], lookup));
  if (node.name == "not") return boolean(!truth(first));
  if (node.name == "and" && !truth(first)) return boolean(false);
  if (node.name == "or" && truth(first)) return boolean(true);
  if (node.name == "neg") {
    if (const auto *integer = std::get_if<std::int64_t>(&first)) {
      if (auto value = on_integers("-", 0, *integer)) return *value;
      return fail("integer overflow");
    }
    return Value(-real(first));
  }
  KOPT_TRY(second, evaluate_node(*node.operands[1], lookup));
  if (node.name == "and" || node.name == "or") return boolean(truth(second));
  const auto *a = std::get_if<std::int64_t>(&first), *b = std::get_if<std::int64_t>(&second);
  const auto value =
      a != nullptr && b != nullptr ? on_integers(node.name, *a, *b) : on_reals(node.name, real(first), real(second));
  if (!value) return fail(fmt::format("overflow or division by zero in '{}'", node.name));
  return *value;
}

void collect_symbols(const Node &node, std::set<std::string> &names) {
  if (node.kind == Node::Kind::Symbol) names.insert(node.name);
  for (const auto &operand : node.operands) collect_symbols(*operand, names);
}

std::string number_text(const Value &value) {
  if (const auto *integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  std::string text = fmt::format("{}", std::get<double>(value));
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

bool is_function(const std::string &name) { return name == "min" || name == "max" || name == "ceil_div"; }

std::string node_text(const Node &node) {
  if (node.kind == Node::Kind::Number) return number_text(node.number);
  if (node.kind == Node::Kind::Symbol) return node.name;
  const auto operand = [&](std::size_t i) {
    const Node &child = *node.operands[i];
    const bool bare = child.kind != Node::Kind::Operation || is_function(child.name);
    return bare || is_function(node.name) ? node_text(child) : "(" + node_text(child) + ")";
  };
  if (node.name == "neg") return "-" + operand(0);
  if (node.name == "not") return "not " + operand(0);
  if (is_function(node.name)) return fmt::format("{}({}, {})", node.name, operand(0), operand(1));
  return fmt::format("{} {} {}", operand(0), node.name, operand(1));
}

// The guard prelude's name of an operation that can fail.
std::optional<std::string> checked_name(const std::string &name) {
  static const std::array<std::pair<const char *, const char *>, 9> names = {{{"+", "add"},
                                                                              {"-", "subtract"},
                                                                              {"*", "multiply"},
                                                                              {"/", "divide"},
                                                                              {"%", "remainder"},
                                                                              {"ceil_div", "ceil_div"},
                                                                              {"neg", "negate"},
                                                                              {"min", "minimum"},
                                                                              {"max", "maximum"}}};
  for (const auto &[word, function] : names)
    if (name == word) return function;
  return std::nullopt;
}

std::string node_cpp(const Node &node, const Expression::Spell &spell) {
  if (node.kind == Node::Kind::Number)
    return std::holds_alternative<std::int64_t>(node.number) ? number_text(node.number) + "LL" : number_text(node.number);
  if (node.kind == Node::Kind::Symbol) return fmt::format("::kopt_guard::value({})", spell(node.name));
  std::vector<std::string> operands;
  for (const auto &operand : node.operands) operands.push_back(node_cpp(*operand, spell));
  if (const auto function = checked_name(node.name))
    return operands.size() == 1 ? fmt::format("::kopt_guard::{}(ok, {})", *function, operands[0])
                                : fmt::format("::kopt_guard::{}(ok, {}, {})", *function, operands[0], operands[1]);
  if (node.name == "not") return fmt::format("!({})", operands[0]);
  const std::string symbol = node.name == "and" ? "&&" : node.name == "or" ? "||" : node.name;
  return fmt::format("({} {} {})", operands[0], symbol, operands[1]);
}

} // namespace

Result<Expression> Expression::parse(std::string_view text) {
  KOPT_TRY(root, Parser(text).whole());
  return Expression(root);
}

Result<Value> Expression::evaluate(const Lookup &lookup) const {
  auto value = evaluate_node(*root_, lookup);
  if (!value) value.error().where = fmt::format("expression \"{}\"", text());
  return value;
}

Result<std::int64_t> Expression::evaluate_integer(const Lookup &lookup) const {
  KOPT_TRY(value, evaluate(lookup));
  if (const auto *integer = std::get_if<std::int64_t>(&value)) return *integer;
  return fail("not an integer", fmt::format("expression \"{}\"", text()));
}

std::set<std::string> Expression::symbols() const {
  std::set<std::string> names;
  collect_symbols(*root_, names);
  return names;
}

std::string Expression::cpp(const Spell &spell) const { return node_cpp(*root_, spell); }

std::string Expression::text() const { return node_text(*root_); }

} // namespace kopt
