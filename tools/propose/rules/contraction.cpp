#include "propose/rules/contraction.h"

#include "propose/rules/writer.h"

#include <algorithm>

namespace kopt {

namespace {

using Chain = std::vector<const Node *>;

std::string without_const(std::string type) {
  if (type.starts_with("const ")) type.erase(0, 6);
  return type;
}

bool contains(const Chain &chain, const Node *loop) { return std::find(chain.begin(), chain.end(), loop) != chain.end(); }

// Which loops say which element is touched.
Chain loops_of(const Access &access, const Chain &chain) {
  Chain used;
  for (const Node *loop : chain)
    if (stride_of(access, loop->variable) != Stride::None || words_in(access.text).contains(loop->variable))
      used.push_back(loop);
  return used;
}

// One way to give the loops of a chain their roles.
class Casting {
public:
  Casting(const Chain &chain, const Model &model) : chain_(chain), model_(model) {}

  std::optional<Contraction> cast(const Node *rows, const Node *columns, const Node *depth) {
    made_ = {};
    made_.rows = rows, made_.columns = columns, made_.depth = depth;
    for (const Node *loop : chain_)
      if (loop != rows && loop != columns && loop != depth) made_.batch.push_back(loop);
    if (!bounds_allow()) return std::nullopt;
    for (const Node &statement : chain_.back()->body)
      if (!add(statement)) return std::nullopt;
    return made_;
  }

private:
  const Chain &chain_;
  const Model &model_;
  Contraction made_;
  const Node *statement_ = nullptr; // being added
  bool possible_ = true;

  bool add(const Node &statement) {
    const auto accumulation = accumulation_of(statement);
    if (!accumulation) return false;
    const Access &target = statement.accesses[static_cast<size_t>(accumulation->target)];
    if (!made_.target) {
      made_.target = &target;
      made_.type = without_const(target.type);
      made_.element_bytes = model_.leaf(target.leaf)->element.size;
    }
    if (target.leaf != made_.target->leaf || target.subscripts != made_.target->subscripts) return false;
    statement_ = &statement, possible_ = true;
    const size_t before = made_.operands.size();
    const std::string value = accumulation->value.print([this](const Formula &part) { return take(part); });
    made_.updates.push_back(std::string(1, accumulation->sign) + "= " + value);
    const auto is_row = [](const Operand &operand) { return operand.of_rows; };
    const auto first = made_.operands.begin() + static_cast<long>(before);
    const bool some = std::any_of(first, made_.operands.end(), is_row), all = std::all_of(first, made_.operands.end(), is_row);
    return possible_ && some && !all;
  }

  // Blocks of depth and rows are boxes; the columns' bounds may follow the row, by a known number of columns for each.
  [[nodiscard]] bool bounds_allow() const {
    const std::string &r = made_.rows->variable, &c = made_.columns->variable, &d = made_.depth->variable;
    for (const Node *loop : {made_.rows, made_.columns, made_.depth})
      if (!can_be_cut(*loop)) return false;
    for (const Node *loop : made_.batch)
      if (!bounds_free_of(*loop, {r, c, d})) return false;
    for (const Polynomial *bound : {&*made_.columns->lower.polynomial, &*made_.columns->upper.polynomial})
      if (bound->degree_in(r) > 1 || !bound->coefficient_of(r).is_constant()) return false;
    return bounds_free_of(*made_.depth, {r, c}) && bounds_free_of(*made_.rows, {c, d}) && bounds_free_of(*made_.columns, {d});
  }

  // Loops whose variable a part uses, in an element's place or as a number.
  [[nodiscard]] Chain used_by(const Formula &part) const {
    Chain used;
    part.visit([&](const Formula &inner) {
      if (inner.kind == Formula::Kind::Atom)
        for (const Node *loop : chain_)
          if (words_in(inner.text).contains(loop->variable)) used.push_back(loop);
      if (inner.kind == Formula::Kind::Hole && static_cast<size_t>(inner.hole) < statement_->accesses.size())
        for (const Node *loop : loops_of(statement_->accesses[static_cast<size_t>(inner.hole)], chain_)) used.push_back(loop);
    });
    return used;
  }

  static bool has_hole(const Formula &part) {
    bool hole = false;
    part.visit([&](const Formula &inner) { hole = hole || inner.kind == Formula::Kind::Hole; });
    return hole;
  }

  // The largest parts that read memory and stay the same along the rows, or along the columns, become operands.
  std::optional<std::string> take(const Formula &part) {
    const Chain used = used_by(part);
    if (!has_hole(part)) {
      possible_ = possible_ && used.empty(); // a loop's number has no place inside a tile
      return std::nullopt;
    }
    const bool of_rows = !contains(used, made_.columns), of_columns = !contains(used, made_.rows);
    const auto type = type_of(part, *statement_, model_);
    if ((of_rows || of_columns) && type) {
      std::vector<std::string> texts;
      for (const Access &access : statement_->accesses) texts.push_back(access.text);
      const auto as_it_is = [](const Formula &) { return std::nullopt; };
      made_.operands.push_back({of_rows, fill_holes(part.print(as_it_is), texts), *type});
      return "@" + std::to_string(made_.operands.size() - 1);
    }
    possible_ = possible_ && part.kind != Formula::Kind::Hole;
    return std::nullopt;
  }
};

// Another row or column is another element: each alone in a subscript of its own.
bool is_injective(const std::optional<Subscripts> &cell, const Node &rows, const Node &columns) {
  if (!cell) return false;
  const auto alone_in = [&](const Node &loop, const Node &other) {
    int uses = 0;
    bool simple = true;
    for (const Polynomial &subscript : *cell) {
      if (!subscript.uses(loop.variable)) continue;
      ++uses;
      const Polynomial step = subscript.coefficient_of(loop.variable);
      simple = simple && !subscript.uses(other.variable) && subscript.degree_in(loop.variable) == 1 &&
               (step == Polynomial(1) || step == Polynomial(-1));
    }
    return uses == 1 && simple;
  };
  return alone_in(rows, columns) && alone_in(columns, rows);
}

Nodes nested(const Chain &order, const Nodes &body) {
  Nodes inner = body;
  for (auto loop = order.rbegin(); loop != order.rend(); ++loop) inner = {with_body(**loop, std::move(inner))};
  return inner;
}

// Nothing of the nest may be written but the target, and rows, columns and depth may follow each other in any order.
bool is_legal(Contraction &made, const Chain &chain, const std::vector<Polynomial> &context, const Workshop &workshop) {
  const Nodes before{*chain.front()};
  const Dependences dependences(workshop.model, before, context, workshop.integers);
  const Nodes &body = perfect_chain(before.front()).back()->body;
  const auto number = static_cast<size_t>(made.target - chain.back()->body.front().accesses.data());
  if (!is_injective(dependences.arrays().subscripts(body.front().accesses[number]), *made.rows, *made.columns)) return false;
  std::vector<Nodes> orders;
  for (const Chain &inner : {Chain{made.depth, made.rows, made.columns}, Chain{made.rows, made.columns, made.depth},
                             Chain{made.columns, made.rows, made.depth}}) {
    Chain order = made.batch;
    order.insert(order.end(), inner.begin(), inner.end());
    orders.push_back(nested(order, body));
  }
  const Legality legality = dependences.legal_in_blocks(orders);
  if (!legality.legal) workshop.refuse("contraction", legality.reason, legality.line);
  made.reorders_reduction = legality.reorders_reduction;
  made.assumed = dependences.assumed();
  return legality.legal;
}

// Computes, and changes nothing but an array.
bool is_plain(const Node &node) {
  return node.kind == Node::Kind::Statement && node.calls.empty() && !node.declares &&
         std::all_of(node.scalars.begin(), node.scalars.end(), [](const ScalarUse &use) { return use.kind == "read"; });
}

bool reads_other_arrays_only(const Nodes &body, const Access &target) {
  bool only = true;
  for (const Node &statement : body)
    for (const Access &access : statement.accesses) {
      const bool is_known = !access.leaf.empty() || !access.local.empty();
      only = only && is_known && (access.leaf != target.leaf || access.subscripts == target.subscripts) &&
             (!access.writes() || access.leaf == target.leaf);
    }
  return only;
}

} // namespace

namespace {

// The target of a body's accumulations, if that is all they change.
const Access *target_of(const Nodes &body, const Model &model) {
  if (body.empty() || !std::all_of(body.begin(), body.end(), is_plain)) return nullptr;
  const auto accumulation = accumulation_of(body.front());
  if (!accumulation) return nullptr;
  const Access &target = body.front().accesses[static_cast<size_t>(accumulation->target)];
  const Leaf *leaf = model.leaf(target.leaf);
  return leaf && leaf->element.category == "float" ? &target : nullptr;
}

// Calls `found` for every way to give the loops their roles, until one is accepted.
std::optional<Contraction> first_casting(const Chain &chain, const Model &model,
                                         const std::function<bool(Contraction &)> &accept) {
  const Access *target = chain.size() < 3 ? nullptr : target_of(chain.back()->body, model);
  if (!target) return std::nullopt;
  const Chain free = loops_of(*target, chain);
  Casting casting(chain, model);
  for (const Node *columns : free) {
    if (stride_of(*target, columns->variable) != Stride::Unit) continue;
    for (auto rows = free.rbegin(); rows != free.rend(); ++rows)
      for (auto depth = chain.rbegin(); depth != chain.rend(); ++depth) {
        if (*rows == columns || contains(free, *depth)) continue;
        auto made = casting.cast(*rows, columns, *depth);
        if (made && accept(*made)) return made;
      }
  }
  return std::nullopt;
}

} // namespace

std::optional<Contraction> contraction_form(const Node &root, const Model &model) {
  return first_casting(perfect_chain(root), model, [](Contraction &) { return true; });
}

std::optional<Contraction> contraction_of(const Node &root, const std::vector<Polynomial> &context, const Workshop &workshop) {
  const Chain chain = perfect_chain(root);
  return first_casting(chain, workshop.model, [&](Contraction &made) {
    return reads_other_arrays_only(chain.back()->body, *made.target) && is_legal(made, chain, context, workshop);
  });
}

} // namespace kopt
