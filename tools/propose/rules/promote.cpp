// Scalar accumulation: `for k C[i][j] += ...` becomes `double C_value = C[i][j]; for k C_value += ...; C[i][j] = C_value;`.
#include "propose/rules/rewrite.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

bool same_element(const Access &one, const Access &other) {
  return one.leaf == other.leaf && !one.leaf.empty() && one.subscripts == other.subscripts;
}

// An access inside a helper or another subscript has no hole in the template: its text cannot be replaced.
bool has_hole(const Node &statement, size_t number) {
  std::vector<std::string> marks(statement.accesses.size());
  marks[number] = "@";
  return fill_holes(statement.pattern, marks).find('@') != std::string::npos;
}

// Puts a scalar in place of an array element, in the template and in the lists.
void replace_element(Node &statement, const Access &element, const std::string &scalar) {
  std::vector<Access> kept;
  std::vector<std::string> holes; // what stands in place of @k
  bool reads = false, writes = false;
  for (const Access &access : statement.accesses) {
    const bool replaced = same_element(access, element);
    holes.push_back(replaced ? scalar : "@" + std::to_string(kept.size()));
    if (!replaced) kept.push_back(access);
    reads = reads || (replaced && access.reads());
    writes = writes || (replaced && access.writes());
  }
  if (statement.reduction && statement.reduction->scalar.empty()) {
    const std::string &hole = holes[static_cast<size_t>(statement.reduction->access)];
    if (hole == scalar) {
      statement.reduction->scalar = scalar;
    } else {
      statement.reduction->access = std::stoi(hole.substr(1));
    }
  }
  statement.pattern = fill_holes(statement.pattern, holes);
  statement.accesses = std::move(kept);
  if (reads || writes) statement.scalars.push_back({scalar, !writes ? "read" : reads ? "update" : "write", element.type});
}

// `double name = element;` or `element = name;`
Node copy_statement(const Access &element, const std::string &scalar, bool load, int line) {
  Node node;
  node.kind = Node::Kind::Statement;
  node.id = scalar + (load ? ".load" : ".store");
  node.line = line;
  node.accesses = {element};
  node.accesses.front().kind = load ? "read" : "write";
  node.pattern = load ? fmt::format("{} {} = @0;", element.type, scalar) : fmt::format("@0 = {};", scalar);
  node.text = fill_holes(node.pattern, {element.text});
  node.scalars = {{scalar, load ? "write" : "read", element.type}};
  if (load) node.declares = Declares{scalar, element.type, false};
  return node;
}

class Promotion {
public:
  Promotion(const Nest &nest, const Workshop &workshop) : nest_(nest), workshop_(workshop), alias_(workshop.model) {
    visit(Nodes{nest.root()}, [&](const Node &node) {
      if (node.kind == Node::Kind::Loop) local_words_.insert(node.variable);
      if (node.declares) local_words_.insert(node.declares->name);
    });
  }

  std::optional<Rewrite> run() {
    Nodes nodes = promoted({nest_.root()});
    if (count_ == 0) return std::nullopt;
    if (!must_run_.empty()) nodes = {guarded(std::move(nodes))};
    return Rewrite{nodes, "scalar accumulation", false, assumed_};
  }

private:
  const Nest &nest_;
  const Workshop &workshop_;
  Alias alias_;
  std::set<std::string> local_words_; // loop variables and scalars declared in the nest
  DisjointPairs assumed_;
  std::vector<Node> must_run_; // loops that must run at least once, or the element must not be touched
  int count_ = 0;

  Nodes promoted(const Nodes &list) {
    Nodes out;
    for (size_t i = 0; i < list.size(); ++i) {
      Node node = list[i];
      std::vector<Access> elements;
      if (node.kind == Node::Kind::Loop)
        elements = accumulated_in(node, Nodes(list.begin(), list.begin() + static_cast<long>(i)));
      if (elements.empty()) {
        node.body = promoted(node.body);
        node.otherwise = promoted(node.otherwise);
        out.push_back(std::move(node));
        continue;
      }
      std::vector<Node> stores;
      for (const Access &element : elements) {
        const std::string scalar = workshop_.names.fresh(base_name(element.leaf) + "_value");
        visit(node.body, [&](Node &statement) { replace_element(statement, element, scalar); });
        out.push_back(copy_statement(element, scalar, true, node.line));
        stores.push_back(copy_statement(element, scalar, false, node.line));
        ++count_;
      }
      out.push_back(std::move(node));
      out.insert(out.end(), stores.begin(), stores.end());
    }
    return out;
  }

  static std::string base_name(const std::string &path) {
    std::string name;
    for (const char c : path) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
  }

  // The elements that the loop updates again and again, each of which may live in a scalar meanwhile.
  std::vector<Access> accumulated_in(const Node &loop, const Nodes &ahead) {
    std::vector<Access> elements;
    std::vector<const Node *> statements;
    bool known = bounds_free_of(loop, {});
    visit(loop.body, [&](const Node &node) {
      known = known && (node.kind == Node::Kind::Statement || (node.kind == Node::Kind::Loop && bounds_free_of(node, {})));
      if (node.kind == Node::Kind::Statement) statements.push_back(&node);
    });
    if (!known) return {}; // conditions and unknown bounds may read the element behind our back
    for (const Node *statement : statements)
      for (const Access &access : statement->accesses) {
        const auto same = [&](const Access &element) { return element.leaf == access.leaf; };
        if (access.kind == "update" || (access.writes() && is_read(access, statements)))
          if (std::none_of(elements.begin(), elements.end(), same) && may_promote(access, loop, statements) &&
              is_touched(access, loop, ahead))
            elements.push_back(access);
      }
    return elements;
  }

  static bool is_read(const Access &element, const std::vector<const Node *> &statements) {
    for (const Node *statement : statements)
      for (const Access &access : statement->accesses)
        if (access.reads() && same_element(access, element)) return true;
    return false;
  }

  bool may_promote(const Access &element, const Node &loop, const std::vector<const Node *> &statements) {
    const Leaf *leaf = workshop_.model.leaf(element.leaf);
    if (!leaf || (leaf->element.category != "float" && leaf->element.category != "integer")) return false;
    if (!is_invariant(element, loop)) return false;
    for (const Node *statement : statements)
      for (size_t k = 0; k < statement->accesses.size(); ++k) {
        if (!is_apart(element, statement->accesses[k], *statement)) return false;
        if (same_element(element, statement->accesses[k]) && !has_hole(*statement, k)) return false;
      }
    const Nodes alone{loop};
    const Dependences dependences(workshop_.model, alone, nest_.context, workshop_.integers);
    if (const Legality legality = dependences.legal(alone); !legality.legal) {
      workshop_.refuse("scalar accumulation", legality.reason, legality.line);
      return false;
    }
    assumed_.insert(dependences.assumed().begin(), dependences.assumed().end());
    return true;
  }

  // Neither its subscripts nor its text use what changes inside the loop.
  static bool is_invariant(const Access &element, const Node &loop) {
    std::set<std::string> changing{loop.variable};
    visit(loop.body, [&](const Node &node) {
      if (node.kind == Node::Kind::Loop) changing.insert(node.variable);
      if (node.declares) changing.insert(node.declares->name);
      for (const ScalarUse &use : node.scalars)
        if (use.kind != "read") changing.insert(use.name);
    });
    for (const std::string &word : words_in(element.text))
      if (changing.contains(word)) return false;
    for (const auto &subscript : element.subscripts) {
      if (!subscript) return false;
      for (const std::string &symbol : subscript->symbols())
        if (changing.contains(symbol)) return false;
    }
    return true;
  }

  // The same element, or surely another one.
  bool is_apart(const Access &element, const Access &other, const Node &statement) {
    if (same_element(element, other)) return true;
    const std::string where = fmt::format("`{}` (line {})", trimmed(statement.text), statement.line);
    if (other.leaf.empty()) {
      if (!other.local.empty()) return true;
      workshop_.refuse("scalar accumulation", fmt::format("{} in {} may be {}", other.text, where, element.text),
                       statement.line);
      return false;
    }
    if (other.leaf == element.leaf) {
      workshop_.refuse("scalar accumulation",
                       fmt::format("{} and {} may be one element, in {}", other.text, element.text, where), statement.line);
      return false;
    }
    if (alias_.overlap(element.leaf, other.leaf) != Overlap::Possible) return true;
    workshop_.refuse("scalar accumulation", alias_.why_possible(element.leaf, other.leaf) + ", in " + where, statement.line);
    return false;
  }

  // The element may be loaded and stored only where the original touches it: a statement ahead does, or the loops surely run.
  bool is_touched(const Access &element, const Node &loop, const Nodes &ahead) {
    for (const Node &node : ahead)
      for (const Access &access : node.accesses)
        if (node.kind == Node::Kind::Statement && same_element(access, element)) return true;
    const std::vector<const Node *> chain = perfect_chain(static_cast<const Node &>(nest_.root()));
    const bool alone = std::any_of(chain.begin(), chain.end(), [&](const Node *outer) { return outer->id == loop.id; });
    if (!alone) return false; // a test around the nest would keep its other statements from running
    std::vector<Node> path;
    for (const Node *inner : perfect_chain(loop)) path.push_back(*inner);
    if (!only_statements(path.back().body)) return false;
    for (const Node &inner : path) {
      if (!bounds_free_of(inner, local_words_)) return false;
      for (const std::string &word : words_in(inner.lower.text + " " + inner.upper.text))
        if (local_words_.contains(word)) return false;
    }
    must_run_.insert(must_run_.end(), path.begin(), path.end());
    return true;
  }

  Node guarded(Nodes nodes) const {
    Node condition;
    condition.kind = Node::Kind::If;
    condition.id = "promote";
    condition.line = nest_.root().line;
    condition.constraints.emplace();
    std::set<std::string> tests;
    for (const Node &loop : must_run_) {
      tests.insert(fmt::format("{} < {}", loop.lower.text, loop.upper.text));
      condition.constraints->push_back(*loop.upper.polynomial - *loop.lower.polynomial - Polynomial(1));
    }
    for (const std::string &test : tests) condition.condition += (condition.condition.empty() ? "" : " && ") + test;
    condition.body = std::move(nodes);
    return condition;
  }
};

} // namespace

std::optional<Rewrite> promote(const Nest &nest, const Workshop &workshop) { return Promotion(nest, workshop).run(); }

} // namespace kopt
