#include "propose/rules/rules.h"

#include "core/openmp.h"
#include "propose/rules/draft.h"
#include "propose/rules/extension.h"

#include <algorithm>

namespace kopt {

namespace {

// A recipe: rewrites in order, then how loops are cut (the first way that fits each nest).
struct Recipe {
  std::vector<Draft::Technique> rewrites;
  std::vector<Draft::Cut> cuts;
};

// Or a new order for everything at once.
struct NewOrder {
  Fusion fusion;
  TileSizes tiles;
};

// Interchange, where need be after distribution. Distribution that leads to nothing better is left out.
std::optional<Rewrite> make_contiguous(const Nest &nest, const Workshop &workshop) {
  if (auto exchanged = interchange(nest, workshop)) return exchanged;
  auto split = distribute(nest, workshop);
  if (!split) return std::nullopt;
  bool better = false;
  Nodes nodes;
  for (size_t i = 0; i < split->nodes.size(); ++i) {
    const Nest part{&split->nodes, i, nest.context, nest.outer};
    const auto exchanged = part.root().kind == Node::Kind::Loop ? interchange(part, workshop) : std::nullopt;
    better = better || exchanged;
    nodes.push_back(exchanged ? exchanged->nodes.front() : split->nodes[i]);
    if (exchanged) split->reorders_reduction = split->reorders_reduction || exchanged->reorders_reduction;
    if (exchanged) split->assumed.insert(exchanged->assumed.begin(), exchanged->assumed.end());
  }
  if (!better) return std::nullopt;
  split->nodes = std::move(nodes);
  split->technique = "distribution and interchange";
  return split;
}

// The same for sums in a local scalar, which would keep the loops from being split.
std::optional<Rewrite> make_contiguous_in_place(const Nest &nest, const Workshop &workshop) {
  auto rewritten = accumulate_in_place(nest, workshop);
  if (!rewritten) return std::nullopt;
  Nodes nodes = rewritten->nodes;
  auto better = make_contiguous({&nodes, 0, nest.context, nest.outer}, workshop);
  if (!better) return std::nullopt;
  better->technique = rewritten->technique + ", " + better->technique;
  better->assumed.insert(rewritten->assumed.begin(), rewritten->assumed.end());
  return better;
}

// Most promising first.
std::vector<Recipe> catalogue() {
  using Cut = Draft::Cut;
  return {
      {{expose_contractions, make_contiguous, promote}, {Cut::Contractions, Cut::Lanes}},
      {{make_contiguous}, {Cut::Eliminations}},
      {{make_contiguous}, {Cut::Bands}},
      {{}, {Cut::Strips}},
      {{make_contiguous, promote}, {Cut::Lanes}},
      {{make_contiguous_in_place}, {}},
      {{make_contiguous}, {}},
      {{reduce_innermost, promote}, {Cut::Registers, Cut::Columns, Cut::Lanes}},
      {{reduce_innermost, promote}, {Cut::Columns, Cut::Lanes}},
      {{make_contiguous}, {Cut::Tiles}},
      {{make_contiguous_in_place}, {Cut::Tiles}},
      {{promote}, {Cut::Lanes}},
      {{promote}, {}},
      {{}, {}},
  };
}

std::vector<NewOrder> new_orders() {
  return {{Fusion::Most, {0, 0, 0}},     {Fusion::Most, {8, 16, 0}},     {Fusion::Most, {16, 64, 512}},
          {Fusion::Most, {32, 32, 256}}, {Fusion::Most, {64, 64, 1024}}, {Fusion::Least, {0, 0, 0}}};
}

void note_opaque(const Model &model, std::vector<Refusal> &refusals) {
  const auto look = [&](const Node &node) {
    if (node.kind == Node::Kind::Opaque) refusals.push_back({"all", "not modelled: " + node.reason, node.line});
  };
  visit(model.body, look);
}

} // namespace

Result<Proposals> Rules::propose(const Model &model, int round) {
  Proposals proposals;
  if (round > 0) return proposals;
  if (model.platform != "host")
    return fail("the rules know platform host only, not " + model.platform, model.name,
                "choose another proposer with KOPT_PROPOSE");
  Integers integers;
  const Machine machine = machine_of(model.compile);
  note_opaque(model, proposals.refusals);
  Refusal refusal;
  const std::optional<Restriction> restriction = restriction_of(model, refusal);
  if (!restriction) proposals.refusals.push_back(refusal);
  const auto add = [&](Draft &draft) {
    auto proposal = draft.finish(restriction);
    if (!proposal) return;
    const bool known = std::any_of(proposals.proposals.begin(), proposals.proposals.end(),
                                   [&](const Proposal &other) { return other.variant.text == proposal->variant.text; });
    if (!known) proposals.proposals.push_back(std::move(*proposal));
  };
  const auto cook = [&](const Recipe &recipe, std::optional<Draft::Deal> deal) {
    Draft draft(model, machine, integers, proposals.refusals);
    for (const Draft::Technique &rewrite : recipe.rewrites) draft.apply(rewrite);
    draft.shape(recipe.cuts);
    if (deal && !draft.parallelize(*deal)) return;
    add(draft);
  };
  if (uses_openmp(model.compile.arguments))
    for (const auto deal : {Draft::Deal::Chunks, Draft::Deal::Collapsed})
      for (const Recipe &recipe : catalogue()) cook(recipe, deal);
  for (const Recipe &recipe : catalogue()) cook(recipe, std::nullopt);
  for (const NewOrder &order : new_orders()) {
    Draft draft(model, machine, integers, proposals.refusals);
    draft.reschedule(order.fusion, order.tiles);
    add(draft);
  }
  for (Proposal &proposal : extended(model, proposals.proposals)) proposals.proposals.push_back(std::move(proposal));
  // `restrict` alone is the least that can be done.
  std::stable_partition(proposals.proposals.begin(), proposals.proposals.end(), [](const Proposal &proposal) {
    return proposal.variant.patterns != std::vector<std::string>{"restrict"};
  });
  return proposals;
}

} // namespace kopt
