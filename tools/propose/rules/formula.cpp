#include "propose/rules/formula.h"

#include "propose/rules/words.h"

#include <cctype>

namespace kopt {

namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<Formula> all() {
    auto formula = sum();
    return formula && peek() == '\0' ? formula : std::nullopt;
  }

private:
  std::string_view text_;
  size_t at_ = 0;

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  std::optional<Formula> sum() {
    return chain("+-", [this] { return product(); });
  }
  std::optional<Formula> product() {
    return chain("*/", [this] { return factor(); });
  }

  // Operands between operators of one rank, from left to right.
  std::optional<Formula> chain(std::string_view operators, const std::function<std::optional<Formula>()> &operand) {
    std::optional<Formula> left = operand();
    while (left && peek() != '\0' && operators.find(peek()) != std::string_view::npos) {
      const std::string sign(1, text_[at_++]);
      std::optional<Formula> right = operand();
      if (!right) return std::nullopt;
      left = Formula{Formula::Kind::Operation, -1, sign, {std::move(*left), std::move(*right)}};
    }
    return left;
  }

  std::optional<Formula> factor() {
    const char c = peek();
    if (c == '-' || c == '+') {
      ++at_;
      if (peek() == c) return std::nullopt; // ++ or --
      auto inner = factor();
      return inner ? std::optional(Formula{Formula::Kind::Sign, -1, std::string(1, c), {std::move(*inner)}}) : std::nullopt;
    }
    if (c == '(') {
      ++at_;
      auto inner = sum();
      if (!inner || peek() != ')') return std::nullopt;
      ++at_;
      return Formula{Formula::Kind::Group, -1, "", {std::move(*inner)}};
    }
    return c == '@' ? hole() : atom();
  }

  std::optional<Formula> hole() {
    const size_t first = ++at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (at_ == first) return std::nullopt;
    return Formula{Formula::Kind::Hole, std::stoi(std::string(text_.substr(first, at_ - first))), "", {}};
  }

  // A name with its members and scopes, or a literal. What follows decides that it is no call, subscript or cast.
  std::optional<Formula> atom() {
    const size_t first = at_;
    const bool number = at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.');
    while (at_ < text_.size()) {
      const bool exponent =
          number && at_ > first && (text_[at_] == '-' || text_[at_] == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
      const bool arrow = !number && text_.substr(at_, 2) == "->";
      const bool scope = !number && text_.substr(at_, 2) == "::";
      if (in_word(text_[at_]) || text_[at_] == '.' || exponent) {
        ++at_;
      } else if (arrow || scope) {
        at_ += 2;
      } else {
        break;
      }
    }
    if (at_ == first) return std::nullopt;
    return Formula{Formula::Kind::Atom, -1, std::string(text_.substr(first, at_ - first)), {}};
  }
};

bool is_floating(const std::string &type) { return type == "double" || type == "float"; }
bool is_integer(const std::string &type) {
  return type == "int" || type == "long" || type == "unsigned" || type == "unsigned int";
}

std::string spelled(const std::string &type, const Element &element) {
  if (element.category == "float") return element.size == 8 ? "double" : element.size == 4 ? "float" : type;
  return type.starts_with("const ") ? type.substr(6) : type;
}

std::optional<std::string> type_of_literal(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const bool fraction = text.find_first_of(hexadecimal ? ".pP" : ".eE") != std::string_view::npos;
  if (!fraction) return std::isdigit(static_cast<unsigned char>(text.back())) ? std::optional("int") : std::nullopt;
  if (text.ends_with('f') || text.ends_with('F')) return "float";
  return text.ends_with('l') || text.ends_with('L') ? std::nullopt : std::optional("double");
}

std::optional<std::string> type_of_name(const std::string &name, const Node &statement, const Model &model) {
  for (const ScalarUse &use : statement.scalars)
    if (use.name == name) return use.type.starts_with("const ") ? use.type.substr(6) : use.type;
  const Leaf *leaf = model.leaf(name);
  if (!leaf || leaf->is_pointer()) return std::nullopt;
  return spelled(leaf->element.type, leaf->element);
}

bool same_element(const Access &one, const Access &other) {
  return one.leaf == other.leaf && one.local == other.local && one.subscripts == other.subscripts;
}

// Reads past `@12`; nothing if there is none.
std::optional<int> take_hole(std::string_view &text) {
  if (!text.starts_with('@')) return std::nullopt;
  size_t end = 1;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
  const int hole = std::stoi("0" + std::string(text.substr(1, end - 1)));
  text.remove_prefix(end);
  while (text.starts_with(' ')) text.remove_prefix(1);
  return hole;
}

} // namespace

std::string Formula::print(const Spell &spell) const {
  if (auto spelled = spell(*this)) return *spelled;
  switch (kind) {
  case Kind::Hole:
    return "@" + std::to_string(hole);
  case Kind::Atom:
    return text;
  case Kind::Sign:
    return text + operands.front().print(spell);
  case Kind::Group:
    return "(" + operands.front().print(spell) + ")";
  case Kind::Operation:
    break;
  }
  std::string printed = operands.front().print(spell); // from left to right
  return printed + " " + text + " " + operands.back().print(spell);
}

void Formula::visit(const std::function<void(const Formula &)> &see) const {
  see(*this);
  for (const Formula &operand : operands) operand.visit(see);
}

std::optional<Formula> parse_formula(std::string_view text) { return Parser(text).all(); }

std::optional<std::string> type_of(const Formula &part, const Node &statement, const Model &model) {
  switch (part.kind) {
  case Formula::Kind::Hole: {
    const Access &access = statement.accesses[static_cast<size_t>(part.hole)];
    const Leaf *leaf = model.leaf(access.leaf);
    return spelled(access.type, leaf ? leaf->element : Element{});
  }
  case Formula::Kind::Atom: {
    const bool literal = part.text.front() == '.' || std::isdigit(static_cast<unsigned char>(part.text.front()));
    return literal ? type_of_literal(part.text) : type_of_name(part.text, statement, model);
  }
  case Formula::Kind::Sign:
  case Formula::Kind::Group: {
    const auto inner = type_of(part.operands.front(), statement, model);
    const bool promoted = part.kind == Formula::Kind::Sign && inner && !is_floating(*inner) && !is_integer(*inner);
    return promoted ? std::nullopt : inner;
  }
  case Formula::Kind::Operation:
    break;
  }
  const auto left = type_of(part.operands.front(), statement, model), right = type_of(part.operands.back(), statement, model);
  if (!left || !right) return std::nullopt;
  if (*left == *right) return is_floating(*left) || is_integer(*left) ? left : std::nullopt;
  if (is_floating(*left) && is_integer(*right)) return left;
  if (is_integer(*left) && is_floating(*right)) return right;
  return is_floating(*left) && is_floating(*right) ? std::optional<std::string>("double") : std::nullopt;
}

std::optional<Accumulation> accumulation_of(const Node &statement) {
  const std::string pattern = trimmed(statement.pattern);
  std::string_view text = pattern;
  if (!text.ends_with(';')) return std::nullopt;
  text.remove_suffix(1);
  const auto target = take_hole(text);
  if (!target || static_cast<size_t>(*target) >= statement.accesses.size()) return std::nullopt;
  Accumulation accumulation;
  accumulation.target = *target;
  if (text.starts_with("+=") || text.starts_with("-=")) {
    accumulation.sign = text.front();
    auto value = parse_formula(text.substr(2));
    if (!value) return std::nullopt;
    accumulation.value = std::move(*value);
    return accumulation;
  }
  if (!text.starts_with('=') || text.starts_with("==")) return std::nullopt;
  auto value = parse_formula(text.substr(1));
  if (!value || value->kind != Formula::Kind::Operation || (value->text != "+" && value->text != "-")) return std::nullopt;
  // `target = target + a + b` adds a first: only where the target is the last sum's own left side is it one accumulation.
  const Formula &left = value->operands.front();
  if (left.kind != Formula::Kind::Hole || static_cast<size_t>(left.hole) >= statement.accesses.size()) return std::nullopt;
  if (!same_element(statement.accesses[static_cast<size_t>(left.hole)],
                    statement.accesses[static_cast<size_t>(accumulation.target)]))
    return std::nullopt;
  accumulation.sign = value->text.front();
  accumulation.value = value->operands.back();
  return accumulation;
}

} // namespace kopt
