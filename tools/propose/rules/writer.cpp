#include "propose/rules/writer.h"

#include <fmt/format.h>

namespace kopt {

namespace {

bool is_unsigned(const Node &loop) {
  return loop.type.find("unsigned") != std::string::npos || loop.type.find("size_t") != std::string::npos ||
         loop.type.starts_with("uint") || loop.type.find("::uint") != std::string::npos;
}

// What a declaration gives its scalar: "double sum = 0;" -> "0". Nothing where it has no initializer.
std::optional<std::string> initializer_of(const std::string &declaration) {
  const size_t equals = declaration.find('=');
  if (equals == std::string::npos) return std::nullopt;
  std::string value = trimmed(declaration.substr(equals + 1));
  if (value.ends_with(';')) value.pop_back();
  return trimmed(value);
}

} // namespace

void Writer::line(const std::string &text) {
  if (!text.empty()) text_ += std::string(static_cast<size_t>(2 * depth_), ' ') + text;
  text_ += '\n';
}

void Writer::open(const std::string &head) {
  line(head.empty() ? "{" : head + " {");
  ++depth_;
}

void Writer::close() {
  --depth_;
  line("}");
}

void Writer::nodes(const Nodes &list) {
  for (const Node &each : list) node(each);
}

void Writer::rename(const std::string &scalar, const std::string &spelling) {
  if (spelling.empty()) {
    renamed_.erase(scalar);
  } else {
    renamed_[scalar] = spelling;
  }
}

std::string Writer::spelled(const std::string &text) const { return replace_words(text, renamed_); }

std::string Writer::statement(const Node &node) const {
  std::vector<std::string> holes;
  for (const Access &access : node.accesses) holes.push_back(access.text);
  const std::string text = fill_holes(node.pattern, holes);
  if (!node.declares || !renamed_.contains(node.declares->name)) return spelled(text);
  const auto value = initializer_of(text);
  return value ? fmt::format("{} = {};", renamed_.at(node.declares->name), spelled(*value)) : "";
}

void Writer::node(const Node &node) {
  if (const auto shape = shapes_.find(&node); shape != shapes_.end()) return shape->second->write(*this);
  switch (node.kind) {
  case Node::Kind::Statement:
    if (const std::string text = statement(node); !text.empty()) line(text);
    break;
  case Node::Kind::Opaque:
    verbatim(node);
    break;
  case Node::Kind::Loop:
    loop(node);
    break;
  case Node::Kind::If:
    open("if (" + spelled(node.condition) + ")");
    nodes(node.body);
    close();
    if (node.otherwise.empty()) break;
    open("else");
    nodes(node.otherwise);
    close();
    break;
  }
}

void Writer::loop(const Node &node) {
  pragma(node);
  open(spelled(node.text));
  nodes(node.body);
  close();
}

void Writer::pragma(const Node &loop) {
  if (independent_.contains(&loop)) line("#pragma GCC ivdep");
}

void Writer::open_clipped(const Node &loop, const std::string &first, const std::string &end) {
  const auto value = [&](const Bound &bound) {
    const std::string text = spelled(bound.text);
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  };
  const std::string lower = value(loop.lower), upper = value(loop.upper);
  const std::string begin = fresh(loop.variable + "_first"), last = fresh(loop.variable + "_last");
  line(fmt::format("const {} {} = {} > {} ? {} : {};", loop.type, begin, lower, first, lower, first));
  line(fmt::format("const {} {} = {} < {} ? {} : {};", loop.type, last, upper, end, upper, end));
  pragma(loop);
  open(loop_head(loop, begin, last));
}

void Writer::verbatim(const Node &node) {
  const std::string &closure = model_.closure.text;
  const bool has_range = node.begin >= 0 && node.end > node.begin && static_cast<size_t>(node.end) <= closure.size();
  std::string text = trimmed(
      has_range ? closure.substr(static_cast<size_t>(node.begin), static_cast<size_t>(node.end - node.begin)) : node.text);
  if (!text.ends_with(';') && !text.ends_with('}')) text += ';';
  line(text);
}

std::string loop_head(const Node &loop, const std::string &first, const std::string &end) {
  return fmt::format("for ({} {} = {}; {} < {}; ++{})", loop.type, loop.variable, first, loop.variable, end, loop.variable);
}

bool can_be_cut(const Node &loop) {
  static const std::set<std::string> types{
      "int",     "long",          "long long",      "unsigned",      "unsigned int", "unsigned long", "unsigned long long",
      "size_t",  "std::size_t",   "std::ptrdiff_t", "ptrdiff_t",     "std::int64_t", "int64_t",       "std::int32_t",
      "int32_t", "std::uint32_t", "uint32_t",       "std::uint64_t", "uint64_t"};
  return loop.step == 1 && !loop.reverse && loop.lower.polynomial && loop.upper.polynomial && types.contains(loop.type);
}

std::string block_fits(const Node &loop, const std::string &first, const std::string &end, const std::string &count) {
  if (is_unsigned(loop)) return fmt::format("{} < {} && {} - {} >= {}", first, end, end, first, count);
  return fmt::format("{} - {} >= {}", end, first, count);
}

} // namespace kopt
