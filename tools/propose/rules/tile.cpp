// Tiling: a perfect nest whose loops may be exchanged freely runs tile by tile, so that what a tile touches stays in a cache.
#include "propose/rules/shapes.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace kopt {

namespace {

using Chain = std::vector<const Node *>;

class Tiles final : public Shape {
public:
  Tiles(Chain chain, std::vector<std::string> macros) : chain_(std::move(chain)), macros_(std::move(macros)) {}

  void write(Writer &writer) const override {
    std::vector<std::string> begins, ends;
    writer.line("// Tiling.");
    for (size_t i = 0; i < chain_.size(); ++i) {
      const Node &loop = *chain_[i];
      const std::string &v = loop.variable;
      const std::string begin = writer.fresh(v + "0"), end = writer.fresh(v + "1"), last = writer.fresh(v + "_end");
      writer.open(fmt::format("for ({} {} = {}, {} = 0, {} = {}; {} < {}; {} = {})", loop.type, begin, loop.lower.text, end,
                              last, loop.upper.text, begin, last, begin, end));
      writer.line(fmt::format("{} = {} - {} > {} ? {} + {} : {};", end, last, begin, macros_[i], begin, macros_[i], last));
      begins.push_back(begin);
      ends.push_back(end);
    }
    for (size_t i = 0; i < chain_.size(); ++i) writer.open(loop_head(*chain_[i], begins[i], ends[i]));
    writer.nodes(chain_.back()->body);
    for (size_t i = 0; i < 2 * chain_.size(); ++i) writer.close();
  }

private:
  Chain chain_;
  std::vector<std::string> macros_;
};

Node with_first(const Chain &chain, const Node *first) {
  Chain order{first};
  std::copy_if(chain.begin(), chain.end(), std::back_inserter(order), [&](const Node *loop) { return loop != first; });
  Nodes inner = chain.back()->body;
  for (auto loop = order.rbegin(); loop != order.rend(); ++loop) inner = {with_body(**loop, inner)};
  return inner.front();
}

// Worth it where some access is far in the innermost loop, or where three loops share operands.
bool reuses(const Chain &chain) {
  bool far = chain.size() >= 3;
  for (const Node &node : chain.back()->body)
    for (const Access &access : node.accesses) far = far || stride_of(access, chain.back()->variable) == Stride::Far;
  return far;
}

std::string upper(std::string text) {
  for (char &c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

} // namespace

std::optional<Shaped> tile(const Node &root, const std::vector<Polynomial> &context, const Workshop &workshop) {
  const Chain chain = perfect_chain(root);
  if (chain.size() < 2 || chain.size() > 4 || !only_statements(chain.back()->body) || !reuses(chain)) return std::nullopt;
  std::set<std::string> variables;
  for (const Node *loop : chain) variables.insert(loop->variable);
  for (const Node *loop : chain)
    if (!can_be_cut(*loop) || !bounds_free_of(*loop, variables)) return std::nullopt;
  const Nodes before{root};
  const Dependences dependences(workshop.model, before, context, workshop.integers);
  Shaped shaped;
  // Loops may be exchanged freely if each of them may be the outermost: then no dependence points backwards along any.
  for (const Node *loop : chain) {
    const Legality legality = dependences.legal({with_first(chain, loop)});
    shaped.reorders_reduction = shaped.reorders_reduction || legality.reorders_reduction;
    if (legality.legal) continue;
    workshop.refuse("tiling", legality.reason, legality.line);
    return std::nullopt;
  }
  std::vector<std::string> macros;
  for (const Node *loop : chain) {
    macros.push_back(workshop.names.fresh("KOPT_TILE_" + upper(loop->variable)));
    shaped.tunables.push_back({macros.back(), {loop == chain.back() && chain.size() >= 3 ? "256" : "32", "16", "64", "128"}});
  }
  shaped.loop = &root;
  shaped.shape = std::make_unique<Tiles>(chain, macros);
  shaped.technique = "tiling";
  shaped.assumed = dependences.assumed();
  return shaped;
}

} // namespace kopt
