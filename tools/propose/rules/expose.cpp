// Exposing contractions: `for i for j { C = 0; for k C += ...; }` hides one behind the statement that comes first. Distribution
// frees it; a sum in a local scalar has to move into its element before.
#include "propose/rules/contraction.h"

namespace kopt {

namespace {

size_t count_contractions(const Nodes &nodes, const std::vector<Polynomial> &context, const Workshop &workshop) {
  size_t count = 0;
  for (const Node &node : nodes) {
    if (node.kind == Node::Kind::Loop && contraction_of(node, context, workshop)) {
      ++count;
    } else {
      count += count_contractions(node.body, context_inside(node, context), workshop);
    }
  }
  return count;
}

void join(Rewrite &last, const Rewrite &first) {
  last.technique = first.technique + ", " + last.technique;
  last.reorders_reduction = last.reorders_reduction || first.reorders_reduction;
  last.assumed.insert(first.assumed.begin(), first.assumed.end());
}

} // namespace

std::optional<Rewrite> expose_contractions(const Nest &nest, const Workshop &workshop) {
  std::optional<Rewrite> best;
  size_t most = 0;
  const auto consider = [&](std::optional<Rewrite> rewrite) {
    if (!rewrite) return;
    const size_t count = count_contractions(rewrite->nodes, nest.context, workshop);
    if (count > most) best = std::move(rewrite), most = count;
  };
  if (contraction_of(nest.root(), nest.context, workshop)) best = Rewrite{{nest.root()}, "", false, {}}, most = 1;
  for (const bool finely : {false, true}) consider(distribute(nest, workshop, finely));
  if (auto in_place = accumulate_in_place(nest, workshop)) {
    Nodes nodes = in_place->nodes;
    for (const bool finely : {false, true}) {
      auto rewrite = distribute({&nodes, 0, nest.context, nest.outer}, workshop, finely);
      if (rewrite) join(*rewrite, *in_place);
      consider(std::move(rewrite));
    }
  }
  if (best) best->is_final = true;
  return best;
}

} // namespace kopt
