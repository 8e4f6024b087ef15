#include "propose/rules/dependence.h"

#include "propose/rules/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

// When an instance runs: numbers and loop variables by turns, compared lexicographically.
struct Moment {
  bool is_variable = false;
  int number = 0;
  std::string variable; // as named in the set, negated where the loop runs downwards
};

std::vector<Moment> moments_of(const Place &place, const Affine::Variables &names) {
  std::vector<Moment> moments;
  for (size_t i = 0; i < place.positions.size(); ++i) {
    moments.push_back({false, place.positions[i], ""});
    if (i >= place.loops.size()) continue;
    const std::string &name = names.at(place.loops[i]->variable);
    moments.push_back({true, 0, place.loops[i]->reverse ? "-" + name : name});
  }
  return moments;
}

// "a runs before b", as a condition on their variables.
std::string comes_before(const std::vector<Moment> &a, const std::vector<Moment> &b) {
  std::string alternatives, equal_so_far = "true";
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!a[i].is_variable) { // both are numbers at even places
      if (a[i].number < b[i].number) alternatives += (alternatives.empty() ? "" : " or ") + ("(" + equal_so_far + ")");
      if (a[i].number != b[i].number) break;
      continue;
    }
    alternatives +=
        fmt::format("{}({} and {} < {})", alternatives.empty() ? "" : " or ", equal_so_far, a[i].variable, b[i].variable);
    equal_so_far += fmt::format(" and {} = {}", a[i].variable, b[i].variable);
  }
  return alternatives.empty() ? "false" : "(" + alternatives + ")";
}

std::string describe(const Node &node) {
  const std::string text = node.kind == Node::Kind::If ? "if (" + node.condition + ")" : node.text;
  return fmt::format("`{}` (line {})", trimmed(text), node.line);
}

bool is_reduction_target(const Node &node, const Access *access, const std::string &scalar) {
  if (!node.reduction) return false;
  if (access)
    return node.reduction->scalar.empty() && node.reduction->access >= 0 &&
           access == &node.accesses[static_cast<size_t>(node.reduction->access)];
  return node.reduction->scalar == scalar;
}

} // namespace

namespace {

// Integers that the kernel was called with and that stay as they are.
std::set<std::string> sizes_of(const Model &model) {
  std::set<std::string> sizes;
  for (const Leaf &leaf : model.leaves)
    if (!leaf.is_pointer() && leaf.count == 1 && leaf.element.category == "integer" && leaf.access == "read" &&
        leaf.origin != "result")
      sizes.insert(leaf.path);
  return sizes;
}

} // namespace

Dependences::Dependences(const Model &model, const Nodes &nodes, const std::vector<Polynomial> &context, Integers &integers)
    : alias_(model), integers_(integers), context_(context), places_(places_in(nodes)),
      arrays_(nodes, context, integers, sizes_of(model)) {
  for (const Polynomial &bound : arrays_.required()) assumed_.insert({"", "", bound.text() + " >= 0"});
  for (const Place &place : places_) collect_touches(place);
  collect_conflicts();
  guard_shared_scalars(nodes);
}

// A scalar declared inside loops is a new cell in each of their iterations: its cell is those loops' variables.
Subscripts Dependences::private_cell(const Place &place, const std::string &scalar) const {
  const Place *declaration = nullptr;
  int visible = 0;
  for (const Place &candidate : places_) {
    if (!candidate.node->declares || candidate.node->declares->name != scalar || candidate.loops.size() > place.loops.size())
      continue;
    if (!std::equal(candidate.loops.begin(), candidate.loops.end(), place.loops.begin())) continue;
    ++visible;
    declaration = &candidate;
  }
  Subscripts cell;
  if (visible != 1) return cell; // declared outside, or which one is meant is not clear: one cell for all
  const auto &branches = declaration->branches;
  if (branches.size() > place.branches.size() || !std::equal(branches.begin(), branches.end(), place.branches.begin()))
    return cell;
  for (const Node *loop : declaration->loops) cell.push_back(Polynomial::symbol(loop->variable));
  return cell;
}

void Dependences::collect_touches(const Place &place) {
  const Node &node = *place.node;
  if (node.kind == Node::Kind::Opaque) {
    touches_.push_back({&place, "", "", std::nullopt, true, false, true, false, node.text});
    return;
  }
  for (const Access &access : node.accesses) {
    const bool unknown = access.leaf.empty() && access.local.empty();
    const std::string object = access.leaf.empty() ? "local " + access.local : "leaf " + access.leaf;
    std::optional<Subscripts> cell = arrays_.subscripts(access);
    if (cell && !access.local.empty()) { // an array declared inside loops is another one in each iteration
      const Subscripts declared = private_cell(place, access.local);
      cell->insert(cell->begin(), declared.begin(), declared.end());
    }
    touches_.push_back({&place, object, access.leaf, std::move(cell), access.reads(), access.writes(), unknown,
                        is_reduction_target(node, &access, ""), access.text});
  }
  const auto scalar = [&](const std::string &name, bool reads, bool writes) {
    touches_.push_back({&place, "scalar " + name, "", private_cell(place, name), reads, writes, false,
                        is_reduction_target(node, nullptr, name), name});
  };
  for (const ScalarUse &use : node.scalars) scalar(use.name, use.kind != "write", use.kind != "read");
  if (node.declares) scalar(node.declares->name, false, true);
}

void Dependences::add_conflict(const Touch &one, const Touch &other, const std::string &why) {
  const bool reduction = one.is_reduction && other.is_reduction && one.place == other.place;
  conflicts_.push_back({&one, &other, reduction, why});
  if (&one != &other) conflicts_.push_back({&other, &one, reduction, why});
}

void Dependences::collect_conflicts() {
  for (size_t i = 0; i < touches_.size(); ++i)
    for (size_t j = i; j < touches_.size(); ++j) {
      const Touch &one = touches_[i], &other = touches_[j];
      if (!one.writes && !other.writes) continue;
      const std::string first = describe(*one.place->node), second = describe(*other.place->node);
      const std::string statements = first == second ? first : first + " and " + second;
      if (one.anything || other.anything) {
        const Touch &unknown = one.anything ? one : other;
        add_conflict(one, other, fmt::format("{} touches memory that the model does not know", describe(*unknown.place->node)));
      } else if (one.object == other.object) {
        const bool vague = !one.cell || !other.cell;
        const std::string vague_text = !one.cell ? one.text : other.text;
        add_conflict(one, other,
                     vague ? fmt::format("{} may touch any element, in {}", vague_text, statements)
                           : fmt::format("{} depends on its own order in {}", one.text, statements));
      } else if (!one.leaf.empty() && !other.leaf.empty()) {
        const Overlap overlap = alias_.overlap(one.leaf, other.leaf);
        if (overlap == Overlap::Guarded) assumed_.insert(pair_of(one.leaf, other.leaf));
        if (overlap == Overlap::Possible)
          add_conflict(one, other, alias_.why_possible(one.leaf, other.leaf) + ", in " + statements);
      }
    }
}

// Statements read members of reference parameters and globals without an access of their own; a write through a pointer must
// not reach them.
void Dependences::guard_shared_scalars(const Nodes &nodes) {
  std::set<std::string> words;
  bool calls = false;
  visit(nodes, [&](const Node &node) {
    words.merge(words_in(node.text + "\n" + node.condition + "\n" + node.lower.text + "\n" + node.upper.text));
    calls = calls || !node.calls.empty();
  });
  std::set<std::string> written;
  for (const Touch &touch : touches_)
    if (touch.writes && !touch.leaf.empty()) written.insert(touch.leaf);
  for (const Leaf *scalar : alias_.shared_scalars()) {
    const bool is_used =
        words.contains(scalar->path.substr(0, scalar->path.find_first_of(".[-:"))) || (calls && scalar->origin == "global");
    for (const std::string &leaf : written) {
      if (!is_used || leaf == scalar->path) continue;
      const Overlap overlap = alias_.overlap(leaf, scalar->path);
      if (overlap == Overlap::Guarded) assumed_.insert(pair_of(leaf, scalar->path));
      if (overlap == Overlap::Possible) blanket_ = {false, false, alias_.why_possible(leaf, scalar->path), nodes.front().line};
    }
  }
}

std::string Dependences::meeting(const Conflict &conflict, Affine &affine) const {
  const Touch &first = *conflict.first, &second = *conflict.second;
  const Affine::Variables s = name_variables(*first.place, "s"), t = name_variables(*second.place, "t");
  std::string text = affine.spell_domain(*first.place, s) + " and " + affine.spell_domain(*second.place, t) + " and " +
                     affine.spell_constraints(context_, {});
  if (first.object != second.object || first.anything || second.anything || !first.cell || !second.cell) return text;
  for (size_t k = 0; k < std::min(first.cell->size(), second.cell->size()); ++k) {
    const auto a = affine.spell((*first.cell)[k], s), b = affine.spell((*second.cell)[k], t);
    if (a && b) text += fmt::format(" and ({}) = ({})", *a, *b);
  }
  return text;
}

bool Dependences::violates(const Conflict &conflict, const Place &first_after, const Place &second_after) const {
  const Place &first = *conflict.first->place, &second = *conflict.second->place;
  const Affine::Variables s = name_variables(first, "s"), t = name_variables(second, "t");
  const std::string before = comes_before(moments_of(first, s), moments_of(second, t));
  const std::string swapped = comes_before(moments_of(second_after, t), moments_of(first_after, s));
  if (before == "false" || swapped == "false") return false;
  Affine affine;
  const std::string where = meeting(conflict, affine);
  const std::string tuple =
      tuple_of(first, "s") + (first.loops.empty() || second.loops.empty() ? "" : ", ") + tuple_of(second, "t");
  const auto is_impossible = [&](const std::string &more) {
    const auto empty = integers_.is_empty(fmt::format("{}{{ [{}] : {} and {} }}", affine.parameters(), tuple, where, more));
    return empty && *empty; // no answer: assume the worst
  };
  const std::string order = before + " and " + swapped;
  if (is_impossible(order)) return false;
  const std::string products = affine.spell_products([&](const std::string &factor) {
    const auto below_zero = affine.spell(Polynomial() - Polynomial::symbol(factor) - Polynomial(1), {});
    return below_zero && is_impossible(*below_zero + " >= 0");
  });
  return products.empty() || !is_impossible(order + products);
}

Legality Dependences::legal(const Nodes &order) const {
  if (!blanket_.legal) return blanket_;
  const std::vector<Place> after = places_in(order);
  const auto find = [&](const Place &place) -> const Place * {
    for (const Place &candidate : after)
      if (candidate.node->id == place.node->id) return &candidate;
    return nullptr;
  };
  Legality legality;
  for (const Conflict &conflict : conflicts_) {
    const Place *first = find(*conflict.first->place), *second = find(*conflict.second->place);
    const Node &node = *conflict.second->place->node;
    if (!first || !second || first->loops.size() != conflict.first->place->loops.size())
      return {false, false, "a statement got lost", node.line};
    if (!violates(conflict, *first, *second)) continue;
    if (!conflict.is_reduction) return {false, legality.reorders_reduction, conflict.why, node.line};
    legality.reorders_reduction = true;
  }
  return legality;
}

// Whether in one step of the loop `step`; nothing where it does not lead back at all.
std::optional<bool> Dependences::leads_back(const Conflict &conflict, const Coordinates &coordinates,
                                            const std::string &step) const {
  const Place &first = *conflict.first->place, &second = *conflict.second->place;
  const Affine::Variables s = name_variables(first, "s"), t = name_variables(second, "t");
  const std::string before = comes_before(moments_of(first, s), moments_of(second, t));
  if (before == "false") return std::nullopt;
  Affine affine;
  const auto from = affine.spell(coordinates.at(first.node->id), s), to = affine.spell(coordinates.at(second.node->id), t);
  if (!from || !to) return false;
  const std::string where = fmt::format("{} and {} and ({}) > ({})", meeting(conflict, affine), before, *from, *to);
  const std::string tuple =
      tuple_of(first, "s") + (first.loops.empty() || second.loops.empty() ? "" : ", ") + tuple_of(second, "t");
  const auto is_empty = [&](const std::string &condition) {
    const auto empty = integers_.is_empty(fmt::format("{}{{ [{}] : {} }}", affine.parameters(), tuple, condition));
    return empty && *empty; // no answer: assume the worst
  };
  if (is_empty(where)) return std::nullopt;
  const auto one = s.find(step), other = t.find(step);
  return one != s.end() && other != t.end() && !is_empty(fmt::format("{} and {} = {}", where, one->second, other->second));
}

std::optional<Fallback> Dependences::first_fallback(const Coordinates &coordinates, const std::string &step) const {
  if (!blanket_.legal) return Fallback{"", "", false, blanket_.reason, blanket_.line};
  for (const Conflict &conflict : conflicts_) {
    const Node &first = *conflict.first->place->node, &second = *conflict.second->place->node;
    if (!coordinates.contains(first.id) || !coordinates.contains(second.id))
      return Fallback{"", "", false, describe(first) + " has no place on this axis", first.line};
    if (const auto in_one_step = leads_back(conflict, coordinates, step))
      return Fallback{first.id, second.id, *in_one_step, conflict.why, second.line};
  }
  return std::nullopt;
}

Legality Dependences::legal_in_blocks(const std::vector<Nodes> &orders) const {
  Legality all;
  for (const Nodes &order : orders) {
    const Legality one = legal(order);
    all.reorders_reduction = all.reorders_reduction || one.reorders_reduction;
    if (!one.legal) return one;
  }
  return all;
}

std::optional<std::vector<Dependences::Order>> Dependences::orders(Affine &affine, Legality &refusal) const {
  refusal = blanket_;
  if (!blanket_.legal) return std::nullopt;
  std::vector<Order> orders;
  for (const Conflict &conflict : conflicts_) {
    const Place &first = *conflict.first->place, &second = *conflict.second->place;
    if (conflict.first->object != conflict.second->object) { // unknown memory, or an overlap that no guard excludes
      refusal = {false, false, conflict.why, second.node->line};
      return std::nullopt;
    }
    const std::string before =
        comes_before(moments_of(first, name_variables(first, "s")), moments_of(second, name_variables(second, "t")));
    if (before != "false") orders.push_back({&first, &second, meeting(conflict, affine) + " and " + before});
  }
  return orders;
}

std::vector<Dependences::Order> Dependences::reuses(Affine &affine) const {
  std::vector<Order> reuses;
  for (size_t i = 0; i < touches_.size(); ++i)
    for (size_t j = i; j < touches_.size(); ++j) {
      const Touch &one = touches_[i], &other = touches_[j];
      if (one.writes || other.writes || one.object != other.object || one.leaf.empty() || !one.cell || !other.cell) continue;
      const Place &first = *one.place, &second = *other.place;
      const std::string before =
          comes_before(moments_of(first, name_variables(first, "s")), moments_of(second, name_variables(second, "t")));
      if (before != "false") reuses.push_back({&first, &second, meeting({&one, &other, false, ""}, affine) + " and " + before});
    }
  return reuses;
}

} // namespace kopt
