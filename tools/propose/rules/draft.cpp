#include "propose/rules/draft.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kopt {

Draft::Draft(const Model &model, Integers &integers, std::vector<Refusal> &refusals)
    : model_(model), body_(model.body), names_(model.closure.text), workshop_{model, integers, names_, refusals} {
  // Names of the model that are not in the closure's text, as in a model written by hand.
  visit(body_, [&](const Node &node) { (void)names_.fresh(node.variable); });
}

void Draft::note(const std::string &technique, bool reorders, const DisjointPairs &assumed) {
  if (std::find(techniques_.begin(), techniques_.end(), technique) == techniques_.end()) techniques_.push_back(technique);
  reorders_reduction_ = reorders_reduction_ || reorders;
  assumed_.insert(assumed.begin(), assumed.end());
}

void Draft::apply(const Technique &technique) {
  for (size_t done = 0;;) {
    std::vector<Nest> nests = nests_in(body_);
    if (done >= nests.size()) return;
    const Nest nest = nests[done];
    std::optional<Rewrite> rewrite = technique(nest, workshop_);
    if (!rewrite) {
      ++done;
      continue;
    }
    note(rewrite->technique, rewrite->reorders_reduction, rewrite->assumed);
    done += nests_in(rewrite->nodes).size();
    Nodes &list = *nest.siblings;
    const auto at = list.erase(list.begin() + static_cast<long>(nest.index));
    list.insert(at, rewrite->nodes.begin(), rewrite->nodes.end());
  }
}

bool Draft::take(std::optional<Shaped> shaped) {
  if (!shaped) return false;
  note(shaped->technique, shaped->reorders_reduction, shaped->assumed);
  tunables_.insert(tunables_.end(), shaped->tunables.begin(), shaped->tunables.end());
  shapes_[shaped->loop] = std::move(shaped->shape);
  return true;
}

bool Draft::cut(const Node &root, const std::vector<Polynomial> &context, Cut way) {
  switch (way) {
  case Cut::Registers:
    return take(block(root, context, Blocking::Registers, workshop_));
  case Cut::Columns:
    return take(block(root, context, Blocking::Columns, workshop_));
  case Cut::Tiles:
    return take(tile(root, context, workshop_));
  case Cut::Lanes:
    break;
  }
  if (take(lanes(root, context, workshop_))) return true;
  bool any = false;
  visit(root.body, [&](const Node &node) {
    if (node.kind == Node::Kind::Loop) any = take(lanes(node, context, workshop_)) || any;
  });
  return any;
}

void Draft::shape(const std::vector<Cut> &cuts) {
  for (const Nest &nest : nests_in(body_))
    for (const Cut way : cuts)
      if (cut(nest.root(), nest.context, way)) break;
}

// Innermost loops that write arrays and carry no dependence: running them backwards would be legal as well.
void Draft::mark_independent() {
  for (const Nest &nest : nests_in(body_)) {
    const Nodes forwards{nest.root()};
    const Dependences dependences(model_, forwards, nest.context, workshop_.integers);
    std::vector<const Node *> innermost;
    const auto look = [&](const Node &node) {
      if (node.kind == Node::Kind::Loop && only_statements(node.body)) innermost.push_back(&node);
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
  } else {
    mark_independent();
    if (!independent_.empty()) note("independent iterations", false, {});
  }
  if (techniques_.empty()) return std::nullopt;
  Writer writer(model_, names_, shapes_, independent_);
  writer.nodes(body_);
  Proposal proposal;
  proposal.summary = fmt::format("{}", fmt::join(techniques_, ", "));
  if (reorders_reduction_) proposal.summary += " (sums are added up in another order)";
  proposal.tunables = tunables_;
  proposal.variant.proposer = "rules";
  proposal.variant.patterns = techniques_;
  for (const ParameterRange &range : tunables_) proposal.variant.parameters[range.macro] = range.values.front();
  proposal.variant.text = fragment_text(model_, proposal.summary, tunables_, restricted, writer.text());
  proposal.variant.plan = Alias(model_).guards(assumed_) + "call kopt_variant\n";
  return proposal;
}

} // namespace kopt
