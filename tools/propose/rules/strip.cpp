// Strip expansion: some iterations of a loop at once, statement by statement. A loop whose iterations are independent but whose
// body is long (local variables, short inner loops, calls of math functions) is beyond a compiler's vectorizer as it stands;
// cut into strips, each statement is a plain loop over the strip, and a scalar of the body an array of the strip's length.
#include "propose/rules/shapes.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

constexpr long most_inner_iterations = 64; // of all short loops in the body together

bool is_integer(const std::string &type) {
  return type.find("double") == std::string::npos && type.find("float") == std::string::npos;
}

std::string without_const(std::string type) {
  if (type.starts_with("const ")) type.erase(0, 6);
  return type;
}

// What of a body a strip treats specially.
struct Cast {
  std::map<std::string, std::string> expanded; // variable -> type: arrays of the strip's length
  std::set<std::string> indices;               // integers computed from loop variables and sizes: computed again where used
};

// An assignment or declaration of an integer that reads no memory.
bool computes_index(const Node &node) {
  if (node.kind != Node::Kind::Statement || !node.accesses.empty() || !node.calls.empty()) return false;
  const auto write =
      std::find_if(node.scalars.begin(), node.scalars.end(), [](const ScalarUse &use) { return use.kind != "read"; });
  return write != node.scalars.end() && write->kind == "write" && is_integer(write->type) &&
         node.text.find('=') != std::string::npos;
}

std::string written_by(const Node &node) {
  for (const ScalarUse &use : node.scalars)
    if (use.kind != "read") return use.name;
  return {};
}

// Sorts the variables of a loop's body; nothing where one of them cannot be expanded.
std::optional<Cast> cast_of(const Node &loop) {
  Cast cast;
  bool possible = true;
  std::set<std::string> written_otherwise;
  visit(loop.body, [&](const Node &node) {
    if (node.declares) cast.expanded[node.declares->name] = without_const(node.declares->type);
    if (computes_index(node))
      cast.indices.insert(written_by(node));
    else
      for (const ScalarUse &use : node.scalars)
        if (use.kind != "read") written_otherwise.insert(use.name);
  });
  visit(loop.body, [&](const Node &node) { // what is written must be the body's own
    for (const ScalarUse &use : node.scalars) possible = possible && (use.kind == "read" || cast.expanded.contains(use.name));
  });
  for (const std::string &name : written_otherwise) cast.indices.erase(name);
  for (const std::string &name : cast.indices) cast.expanded.erase(name);
  for (const auto &[name, type] : cast.expanded) possible = possible && type.find_first_of("*&:<") == std::string::npos;
  return possible ? std::optional(cast) : std::nullopt;
}

// "double[4]" -> "double name[4][KOPT_STRIP]"
std::string declaration_of(const std::string &type, const std::string &name, const std::string &macro) {
  const auto open = type.find('[');
  const std::string sizes = open == std::string::npos ? "" : type.substr(open);
  return fmt::format("{} {}{}[{}];", trimmed(type.substr(0, open)), name, sizes, macro);
}

class Strip final : public Shape {
public:
  Strip(const Node &loop, Cast cast, std::string macro) : loop_(loop), cast_(std::move(cast)), macro_(std::move(macro)) {}

  void write(Writer &writer) const override {
    Names names;
    names.first = writer.fresh(loop_.variable + "0"), names.end = writer.fresh(loop_.variable + "_end");
    names.lane = writer.fresh("lane");
    writer.line("// Strip expansion: " + macro_ + " iterations at a time, statement by statement.");
    writer.open("");
    for (const auto &[name, type] : cast_.expanded) {
      names.expanded[name] = writer.fresh(name + "_strip");
      writer.line(declaration_of(type, names.expanded[name], macro_));
    }
    writer.line(fmt::format("const {} {} = {};", loop_.type, names.end, loop_.upper.text));
    writer.line(fmt::format("{} {} = {};", loop_.type, names.first, loop_.lower.text));
    writer.open(fmt::format("for (; {}; {} += {})", block_fits(loop_, names.first, names.end, macro_), names.first, macro_));
    Indices known;
    list(writer, names, loop_.body, known);
    writer.close();
    writer.open(loop_head(loop_, names.first, names.end));
    writer.nodes(loop_.body);
    writer.close();
    writer.close();
  }

  // Whether the strip can be printed: every condition and inner loop is either the same for all lanes, or without loops.
  [[nodiscard]] bool fits(const Nodes &nodes) const {
    return std::all_of(nodes.begin(), nodes.end(), [&](const Node &node) {
      if (node.kind == Node::Kind::Loop) return is_uniform(node) && fits(node.body);
      if (node.kind != Node::Kind::If) return holes_are_whole(node);
      return is_uniform(node) ? fits(node.body) && fits(node.otherwise) : is_flat(node);
    });
  }

private:
  struct Names {
    std::string first, end, lane;
    std::map<std::string, std::string> expanded;
  };
  using Indices = std::map<std::string, const Node *>; // what an index variable was last computed by

  const Node &loop_;
  Cast cast_;
  std::string macro_;

  // A header that reads nothing that differs from lane to lane.
  [[nodiscard]] bool is_uniform(const Node &node) const {
    for (const std::string &word : words_in(node.text + "\n" + node.condition + "\n" + node.pattern))
      if (word == loop_.variable || cast_.expanded.contains(word) || cast_.indices.contains(word)) return false;
    return true;
  }

  // Each access to an expanded array has a place in the statement's template.
  [[nodiscard]] bool holes_are_whole(const Node &node) const {
    for (size_t k = 0; k < node.accesses.size(); ++k)
      if (cast_.expanded.contains(node.accesses[k].local) && node.pattern.find(fmt::format("@{}", k)) == std::string::npos)
        return false;
    return true;
  }

  [[nodiscard]] bool is_flat(const Node &node) const {
    const auto flat = [&](const Nodes &nodes) {
      return std::all_of(nodes.begin(), nodes.end(), [&](const Node &inner) {
        if (inner.kind == Node::Kind::If) return is_flat(inner);
        return inner.kind == Node::Kind::Statement && holes_are_whole(inner) && !cast_.indices.contains(written_by(inner));
      });
    };
    return holes_are_whole(node) && flat(node.body) && flat(node.otherwise);
  }

  [[nodiscard]] bool is_shared_header(const Node &node) const {
    return node.kind == Node::Kind::Loop || (node.kind == Node::Kind::If && is_uniform(node));
  }

  // Statements that stand in one loop over the lanes: up to the next header, and calls by themselves.
  void list(Writer &writer, const Names &names, const Nodes &nodes, Indices known) const {
    std::vector<const Node *> group;
    const auto flush = [&] {
      lanes(writer, names, group, known);
      group.clear();
    };
    for (const Node &node : nodes) {
      const bool computes = cast_.indices.contains(written_by(node)) && computes_index(node);
      const bool again = computes && known.contains(written_by(node));
      if (is_shared_header(node) || !node.calls.empty() || again) flush();
      if (computes) known[written_by(node)] = &node;
      if (is_shared_header(node)) {
        header(writer, names, node, known);
      } else if (!computes) {
        group.push_back(&node);
        if (!node.calls.empty()) flush();
      }
    }
    flush();
  }

  void header(Writer &writer, const Names &names, const Node &node, const Indices &known) const {
    writer.open(node.kind == Node::Kind::Loop ? node.text : "if (" + node.condition + ")");
    list(writer, names, node.body, known);
    writer.close();
    if (node.otherwise.empty()) return;
    writer.open("else");
    list(writer, names, node.otherwise, known);
    writer.close();
  }

  void lanes(Writer &writer, const Names &names, const std::vector<const Node *> &group, const Indices &known) const {
    std::vector<const Node *> real; // bare declarations print nothing
    for (const Node *node : group)
      if (node->kind != Node::Kind::Statement || !text_of(*node, names).empty()) real.push_back(node);
    if (real.empty()) return;
    writer.line("#pragma GCC ivdep");
    writer.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0})", names.lane, macro_));
    const std::vector<const Node *> needed = indices(real, known);
    std::set<std::string> words;
    for (const Node *node : real) collect_words(*node, words);
    for (const Node *node : needed) collect_words(*node, words);
    if (words.contains(loop_.variable))
      writer.line(fmt::format("const {} {} = {} + {};", loop_.type, loop_.variable, names.first, names.lane));
    for (const Node *node : needed) writer.line((node->declares ? "" : "const " + type_of(*node) + " ") + node->text);
    for (const Node *node : real) print(writer, names, *node);
    writer.close();
  }

  // The index variables that a group uses, and those that these use.
  static std::vector<const Node *> indices(const std::vector<const Node *> &group, const Indices &known) {
    std::set<std::string> used;
    for (const Node *node : group) collect_words(*node, used);
    std::vector<const Node *> needed;
    for (bool more = true; more;) {
      more = false;
      for (const auto &[name, node] : known) {
        if (!used.contains(name) || std::find(needed.begin(), needed.end(), node) != needed.end()) continue;
        needed.push_back(node);
        collect_words(*node, used);
        more = true;
      }
    }
    std::sort(needed.begin(), needed.end(), [](const Node *a, const Node *b) { return a->begin < b->begin; });
    return needed;
  }

  static void collect_words(const Node &node, std::set<std::string> &words) {
    words.merge(words_in(node.text + "\n" + node.condition));
    for (const Node &inner : node.body) collect_words(inner, words);
    for (const Node &inner : node.otherwise) collect_words(inner, words);
  }

  static std::string type_of(const Node &node) {
    for (const ScalarUse &use : node.scalars)
      if (use.kind != "read") return without_const(use.type);
    return "int";
  }

  void print(Writer &writer, const Names &names, const Node &node) const {
    if (node.kind == Node::Kind::Statement) return writer.line(text_of(node, names));
    writer.open("if (" + filled(node, node.pattern.empty() ? node.condition : node.pattern, names) + ")");
    for (const Node &inner : node.body) print(writer, names, inner);
    writer.close();
    if (node.otherwise.empty()) return;
    writer.open("else");
    for (const Node &inner : node.otherwise) print(writer, names, inner);
    writer.close();
  }

  [[nodiscard]] std::string filled(const Node &node, const std::string &pattern, const Names &names) const {
    std::map<std::string, std::string> scalars;
    for (const auto &[name, spelled] : names.expanded)
      if (cast_.expanded.at(name).find('[') == std::string::npos) scalars[name] = fmt::format("{}[{}]", spelled, names.lane);
    std::vector<std::string> holes;
    for (const Access &access : node.accesses) {
      const auto local = names.expanded.find(access.local);
      holes.push_back(local == names.expanded.end()
                          ? access.text
                          : replace_words(access.text, {{access.local, local->second}}) + "[" + names.lane + "]");
    }
    return replace_words(fill_holes(pattern, holes), scalars);
  }

  // A declaration of an expanded scalar is an assignment, or nothing.
  [[nodiscard]] std::string text_of(const Node &node, const Names &names) const {
    if (!node.declares) return filled(node, node.pattern, names);
    const auto equals = node.pattern.find('=');
    if (equals == std::string::npos) return "";
    return fmt::format("{}[{}] = {}", names.expanded.at(node.declares->name), names.lane,
                       filled(node, trimmed(node.pattern.substr(equals + 1)), names));
  }
};

// Iterations of the short loops in a body together; 0 where one is not short or its length is not known.
long inner_iterations(const Nodes &nodes, long times = 1) {
  long sum = times;
  for (const Node &node : nodes) {
    long inner = times;
    if (node.kind == Node::Kind::Loop) {
      if (!node.lower.polynomial || !node.upper.polynomial) return 0;
      const Polynomial length = *node.upper.polynomial - *node.lower.polynomial;
      if (!length.is_constant() || length.constant() <= 0 || length.constant() > most_inner_iterations) return 0;
      inner = times * length.constant();
    }
    for (const Nodes *list : {&node.body, &node.otherwise}) {
      if (list->empty()) continue;
      const long below = inner_iterations(*list, inner);
      if (below == 0) return 0;
      sum += below;
    }
  }
  return sum <= most_inner_iterations ? sum : 0;
}

// Whether a vectorizer would need the strip: short loops, calls, or conditions, with locals of the body's own.
bool is_worth_a_strip(const Node &loop) {
  bool hard = false, locals = false;
  visit(loop.body, [&](const Node &node) {
    hard = hard || node.kind == Node::Kind::Loop || !node.calls.empty();
    locals = locals || (node.declares && !is_integer(node.declares->type));
  });
  return hard && locals;
}

bool is_independent(const Node &loop, const std::vector<Polynomial> &context, const Workshop &workshop,
                    DisjointPairs &assumed) {
  const Nodes forwards{loop};
  const Dependences dependences(workshop.model, forwards, context, workshop.integers);
  Nodes backwards = forwards;
  backwards.front().reverse = !backwards.front().reverse;
  const Legality legality = dependences.legal(backwards);
  if (!legality.legal) workshop.refuse("strip expansion", legality.reason, legality.line);
  assumed = dependences.assumed();
  return legality.legal && !legality.reorders_reduction;
}

} // namespace

std::optional<Shaped> strip(const Node &loop, const std::vector<Polynomial> &context, const Workshop &workshop) {
  if (!can_be_cut(loop) || !is_worth_a_strip(loop) || inner_iterations(loop.body) == 0) return std::nullopt;
  const auto cast = cast_of(loop);
  if (!cast) return std::nullopt;
  const std::string macro = workshop.names.shared("KOPT_STRIP");
  auto shape = std::make_unique<Strip>(loop, *cast, macro);
  Shaped shaped;
  if (!shape->fits(loop.body) || !is_independent(loop, context, workshop, shaped.assumed)) return std::nullopt;
  shaped.loop = &loop;
  shaped.shape = std::move(shape);
  shaped.technique = "strip expansion";
  shaped.tunables = {{macro, {"32", "16", "64", "8"}}};
  return shaped;
}

} // namespace kopt
