#include "propose/rules/draft.h"

#include "core/feature.h"
#include "propose/rules/parallel.h"
#include "propose/rules/privatize.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kopt {

namespace {

// For what another node's shape prints.
class Nothing final : public Shape {
public:
  void write(Writer &) const override {}
};

} // namespace

Draft::Draft(const Model &model, const Machine &machine, Integers &integers, std::vector<Refusal> &refusals)
    : model_(model), body_(privatized(model.body)),
      names_(model.closure.text), workshop_{model, machine, integers, names_, refusals} {
  // Names of the model that are not in the closure's text, as in a model written by hand.
  visit(body_, [&](const Node &node) { (void)names_.fresh(node.variable); });
}

void Draft::note(const std::string &technique, bool reorders, const DisjointPairs &assumed) {
  const bool is_known = std::find(techniques_.begin(), techniques_.end(), technique) != techniques_.end();
  if (!technique.empty() && !is_known) techniques_.push_back(technique);
  reorders_reduction_ = reorders_reduction_ || reorders;
  assumed_.insert(assumed.begin(), assumed.end());
}

void Draft::apply(const Technique &technique) { rewrite_in(body_, {}, {}, technique); }

bool Draft::is_final(const Node &root) const {
  bool final = false;
  visit(root.body,
        [&](const Node &node) { final = final || (node.kind == Node::Kind::Statement && final_.contains(node.id)); });
  return final;
}

void Draft::rewrite_in(Nodes &list, const std::vector<Polynomial> &context, const std::vector<const Node *> &outer,
                       const Technique &technique) {
  for (size_t i = 0; i < list.size(); ++i) {
    const bool is_nest = list[i].kind == Node::Kind::Loop && !holds_opaque(list[i]);
    if (auto rewrite = is_nest && !is_final(list[i]) ? technique({&list, i, context, outer}, workshop_) : std::nullopt) {
      note(rewrite->technique, rewrite->reorders_reduction, rewrite->assumed);
      const auto finish = [&](const Node &node) { final_.insert(node.id); };
      if (rewrite->is_final) visit(static_cast<const Nodes &>(rewrite->nodes), finish);
      const auto at = list.erase(list.begin() + static_cast<long>(i));
      list.insert(at, rewrite->nodes.begin(), rewrite->nodes.end());
      i += rewrite->nodes.size() - 1;
      continue;
    }
    Node &node = list[i];
    std::vector<const Node *> around = outer;
    if (node.kind == Node::Kind::Loop) around.push_back(&node);
    rewrite_in(node.body, context_inside(node, context), around, technique);
    rewrite_in(node.otherwise, context, around, technique);
  }
}

bool Draft::take(std::optional<Shaped> shaped) {
  if (!shaped) return false;
  note(shaped->technique, shaped->reorders_reduction, shaped->assumed);
  for (const ParameterRange &range : shaped->tunables) {
    const auto same = [&](const ParameterRange &known) { return known.macro == range.macro; };
    if (std::none_of(tunables_.begin(), tunables_.end(), same)) tunables_.push_back(range);
  }
  shapes_[shaped->loop] = std::move(shaped->shape);
  for (const Node *node : shaped->covered) shapes_[node] = std::make_unique<Nothing>();
  guards_.insert(shaped->guards.begin(), shaped->guards.end());
  return true;
}

bool Draft::cut(const Node &root, const std::vector<Polynomial> &context, Cut way) {
  switch (way) {
  case Cut::Contractions:
    return take(contract(root, context, workshop_));
  case Cut::Strips:
    return take(strip(root, context, workshop_));
  case Cut::Eliminations:
    return take(eliminate(root, context, workshop_));
  case Cut::Bands:
    return take(bands(root, context, workshop_));
  case Cut::Registers:
    return take(block(root, context, Blocking::Registers, workshop_));
  case Cut::Columns:
    return take(block(root, context, Blocking::Columns, workshop_));
  case Cut::Tiles:
    return take(tile(root, context, workshop_));
  case Cut::Lanes:
    break;
  }
  return take(lanes(root, context, workshop_));
}

void Draft::shape(const std::vector<Cut> &cuts) { shape_in(body_, {}, cuts); }

void Draft::shape_in(const Nodes &list, const std::vector<Polynomial> &context, const std::vector<Cut> &cuts) {
  for (const Node &node : list) {
    const bool is_nest = node.kind == Node::Kind::Loop && !holds_opaque(node);
    if (is_nest && std::any_of(cuts.begin(), cuts.end(), [&](Cut way) { return cut(node, context, way); })) continue;
    shape_in(node.body, context_inside(node, context), cuts);
    shape_in(node.otherwise, context, cuts);
  }
}

void Draft::reschedule(Fusion fusion, const TileSizes &tiles) {
  const auto fits = [](const Node &node) { // `return x;` depends on nothing, but nothing may come behind it
    const bool may_move =
        node.kind == Node::Kind::Loop || (node.kind == Node::Kind::Statement && !words_in(node.text).contains("return"));
    return may_move && !node.declares && !holds_opaque(node);
  };
  for (auto first = body_.begin(); first != body_.end();) {
    const auto end = std::find_if_not(first, body_.end(), fits);
    if (first != end) take(kopt::reschedule({first, end}, fusion, tiles, workshop_));
    first = end == body_.end() ? end : end + 1;
  }
}

bool Draft::parallelize(Deal deal) {
  bool any = false;
  for (const Nest &nest : nests_in(body_)) {
    const auto shape = shapes_.find(&nest.root());
    if (deal == Deal::Collapsed && shape != shapes_.end()) continue;
    const auto found = parallel(nest, workshop_);
    if (!found) continue;
    if (deal == Deal::Collapsed) {
      any = take(collapsed(*found, nest, workshop_)) || any;
      continue;
    }
    std::unique_ptr<Shape> inner = shape == shapes_.end() ? nullptr : std::move(shape->second);
    any = take(in_chunks(*found, std::move(inner), workshop_)) || any;
  }
  return any;
}

namespace {

// Writes an array that it also touches elsewhere: `restrict` says nothing about that.
bool meets_itself(const Node &loop) {
  std::map<std::string, std::set<std::string>> places;
  std::set<std::string> written;
  for (const Node &node : loop.body)
    for (const Access &access : node.accesses) {
      places[access.leaf].insert(access.text);
      if (access.writes()) written.insert(access.leaf);
    }
  return std::any_of(written.begin(), written.end(), [&](const std::string &leaf) { return places[leaf].size() > 1; });
}

} // namespace

// Innermost loops that write arrays and carry no dependence: running them backwards would be legal as well.
void Draft::mark_independent(bool restricted) {
  for (const Nest &nest : nests_in(body_)) {
    const Nodes forwards{nest.root()};
    const Dependences dependences(model_, forwards, nest.context, workshop_.integers);
    std::vector<const Node *> innermost;
    const auto look = [&](const Node &node) {
      if (node.kind == Node::Kind::Loop && only_statements(node.body) && (!restricted || meets_itself(node)))
        innermost.push_back(&node);
    };
    look(nest.root());
    visit(static_cast<const Nodes &>(nest.root().body), look);
    for (const Node *loop : innermost) {
      Nodes backwards = forwards;
      bool writes = false;
      visit(backwards, [&](Node &node) {
        if (node.id != loop->id) return;
        node.reverse = !node.reverse;
        for (const Node &statement : node.body)
          for (const Access &access : statement.accesses) writes = writes || access.writes();
      });
      const Legality legality = writes ? dependences.legal(backwards) : Legality{false, false, "", 0};
      if (writes && !legality.legal) workshop_.refuse("independent iterations", legality.reason, legality.line);
      if (!legality.legal || legality.reorders_reduction) continue;
      independent_.insert(loop);
      assumed_.insert(dependences.assumed().begin(), dependences.assumed().end());
    }
  }
}

std::optional<Proposal> Draft::finish(const std::optional<Restriction> &restriction) {
  std::set<std::string> restricted;
  if (restriction && !restriction->parameters.empty() && !restriction->assumed.empty()) {
    note("restrict", false, restriction->assumed);
    restricted = restriction->parameters;
  }
  mark_independent(!restricted.empty());
  if (!independent_.empty()) note("independent iterations", false, {});
  if (techniques_.empty()) return std::nullopt;
  Writer writer(model_, names_, shapes_, independent_);
  writer.nodes(body_);
  Proposal proposal;
  proposal.summary = fmt::format("{}", fmt::join(techniques_, ", "));
  if (reorders_reduction_) proposal.variant.precision = {"adds up sums in another order"};
  // Which products and sums a compiler fuses depends on how statements lie beside each other.
  const bool restructures = std::any_of(techniques_.begin(), techniques_.end(), [](const std::string &technique) {
    return technique != "restrict" && technique != "independent iterations";
  });
  if (restructures && workshop_.machine.fuses && may_contract(model_.compile.arguments))
    proposal.variant.precision.emplace_back("may fuse other products and sums");
  if (reorders_reduction_) proposal.summary += " (sums are added up in another order)";
  proposal.tunables = tunables_;
  proposal.variant.proposer = "rules";
  proposal.variant.patterns = techniques_;
  for (const ParameterRange &range : tunables_) proposal.variant.parameters[range.macro] = range.values.front();
  proposal.variant.text = fragment_text(model_, proposal.summary, tunables_, restricted, writer.text());
  proposal.variant.plan = Alias(model_).guards(assumed_);
  for (const std::string &guard : guards_) proposal.variant.plan += "require " + guard + "\n";
  proposal.variant.plan += "call kopt_variant\n";
  return proposal;
}

} // namespace kopt
