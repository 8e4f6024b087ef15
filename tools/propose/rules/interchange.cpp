// Loop interchange: all orders of a perfect nest, ranked by how contiguous the innermost accesses are.
#include "propose/rules/rewrite.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kopt {

void Workshop::refuse(const std::string &technique, const std::string &reason, int line) const {
  for (const Refusal &refusal : refusals)
    if (refusal.technique == technique && refusal.reason == reason) return;
  refusals.push_back({technique, reason, line});
}

Stride stride_of(const Access &access, const std::string &variable) {
  Stride stride = Stride::None;
  for (size_t k = 0; k < access.subscripts.size(); ++k) {
    if (!access.subscripts[k]) return Stride::Far;
    if (!access.subscripts[k]->uses(variable)) continue;
    const Polynomial coefficient = access.subscripts[k]->coefficient_of(variable);
    const bool is_last = k + 1 == access.subscripts.size();
    const bool is_one = coefficient == Polynomial(1) || coefficient == Polynomial(-1);
    stride = is_last && is_one && stride == Stride::None ? Stride::Unit : Stride::Far;
  }
  return stride;
}

namespace {

using Chain = std::vector<const Node *>;
constexpr size_t longest_chain = 5; // 120 orders

// Each loop's bounds may use only variables of loops outside it.
bool bounds_allow(const Chain &order) {
  std::set<std::string> inside;
  for (auto loop = order.rbegin(); loop != order.rend(); ++loop) {
    inside.insert((*loop)->variable);
    if (!bounds_free_of(**loop, inside)) return false;
  }
  return true;
}

Node build(const Chain &order, const Nodes &body) {
  Nodes inner = body;
  for (auto loop = order.rbegin(); loop != order.rend(); ++loop) inner = {with_body(**loop, inner)};
  return inner.front();
}

// Far accesses in the innermost loop cost most; those of loops further out, a tenth each.
double cost_of(const Chain &order, const Nodes &body) {
  double cost = 0, weight = 1;
  for (auto loop = order.rbegin(); loop != order.rend(); ++loop, weight /= 10)
    visit(body, [&](const Node &node) {
      for (const Access &access : node.accesses) {
        const Stride stride = stride_of(access, (*loop)->variable);
        cost += weight * (stride == Stride::Far ? 8 : stride == Stride::Unit ? 1 : 0);
      }
    });
  return cost;
}

std::string names_of(const Chain &order) {
  std::vector<std::string> names;
  for (const Node *loop : order) names.push_back(loop->variable);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<Chain> orders_of(Chain chain) {
  std::vector<Chain> orders;
  Chain order = chain;
  const auto place = [&](const Node *loop) { return std::find(chain.begin(), chain.end(), loop) - chain.begin(); };
  const auto earlier = [&](const Node *a, const Node *b) { return place(a) < place(b); };
  do
    if (bounds_allow(order)) orders.push_back(order);
  while (std::next_permutation(order.begin(), order.end(), earlier));
  return orders;
}

Chain chain_of(const Nest &nest) {
  const Node &root = nest.root();
  return perfect_chain(root);
}

// The first legal order of those given; what stops a better one is noted as a refusal.
std::optional<Rewrite> first_legal(const std::vector<Chain> &orders, const Nest &nest, const std::string &technique,
                                   const Workshop &workshop) {
  if (orders.empty()) return std::nullopt;
  const Chain chain = chain_of(nest);
  const Nodes before{nest.root()};
  const Dependences dependences(workshop.model, before, nest.context, workshop.integers);
  for (const Chain &order : orders) {
    if (order == chain) return std::nullopt;
    const Nodes after{build(order, chain.back()->body)};
    const Legality legality = dependences.legal(after);
    if (legality.legal) return Rewrite{after, technique, legality.reorders_reduction, dependences.assumed()};
    workshop.refuse(technique, fmt::format("order {}: {}", names_of(order), legality.reason), legality.line);
  }
  return std::nullopt;
}

} // namespace

std::optional<Rewrite> interchange(const Nest &nest, const Workshop &workshop) {
  const Chain chain = chain_of(nest);
  if (chain.size() < 2 || chain.size() > longest_chain) return std::nullopt;
  const Nodes &body = chain.back()->body;
  std::vector<Chain> orders = orders_of(chain);
  std::stable_sort(orders.begin(), orders.end(),
                   [&](const Chain &a, const Chain &b) { return cost_of(a, body) < cost_of(b, body); });
  return first_legal(orders, nest, "interchange", workshop);
}

std::optional<Rewrite> reduce_innermost(const Nest &nest, const Workshop &workshop) {
  const Chain chain = chain_of(nest);
  if (chain.size() < 2 || chain.size() > longest_chain || !only_statements(chain.back()->body)) return std::nullopt;
  const auto repeats = [&](const Node *loop) { // no array element written depends on the loop
    for (const Node &node : chain.back()->body)
      for (const Access &access : node.accesses)
        if (access.writes() && stride_of(access, loop->variable) != Stride::None) return false;
    return true;
  };
  Chain order = chain;
  std::stable_partition(order.begin(), order.end(), [&](const Node *loop) { return !repeats(loop); });
  if (order == chain || !repeats(order.back()) || !bounds_allow(order)) return std::nullopt;
  return first_legal({order}, nest, "interchange", workshop);
}

} // namespace kopt
