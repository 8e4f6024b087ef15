// Reduction splitting: one sum is one chain of additions, each waiting for the last. Lanes are independent chains, added up at
// the end.
#include "propose/rules/shapes.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

struct Lane {
  std::string scalar, type, op;
};

class Lanes final : public Shape {
public:
  Lanes(const Node &loop, std::vector<Lane> lanes, std::string macro)
      : loop_(loop), lanes_(std::move(lanes)), macro_(std::move(macro)) {}

  void write(Writer &writer) const override {
    const std::string first = writer.fresh(loop_.variable + "0"), end = writer.fresh(loop_.variable + "_end");
    const std::string lane = writer.fresh("lane");
    std::vector<std::string> names;
    writer.line("// Reduction splitting: " + macro_ + " partial accumulators, combined after the loop.");
    writer.open("");
    writer.line(fmt::format("const {} {} = {};", loop_.type, end, loop_.upper.text));
    for (const Lane &each : lanes_) names.push_back(declare(writer, each, lane));
    writer.line(fmt::format("{} {} = {};", loop_.type, first, loop_.lower.text));
    writer.open(fmt::format("for (; {}; {} += {})", block_fits(loop_, first, end, macro_), first, macro_));
    writer.open(loop_head(loop_, first, fmt::format("{} + {}", first, macro_)));
    for (size_t i = 0; i < lanes_.size(); ++i)
      writer.rename(lanes_[i].scalar, fmt::format("{}[{} - {}]", names[i], loop_.variable, first));
    writer.nodes(loop_.body);
    for (const Lane &each : lanes_) writer.rename(each.scalar, "");
    writer.close();
    writer.close();
    writer.open(loop_head(loop_, first, end));
    writer.nodes(loop_.body);
    writer.close();
    for (size_t i = 0; i < lanes_.size(); ++i) combine(writer, lanes_[i], names[i], lane);
    writer.close();
  }

private:
  const Node &loop_;
  std::vector<Lane> lanes_;
  std::string macro_;

  std::string declare(Writer &writer, const Lane &each, const std::string &lane) const {
    std::string name = writer.fresh(each.scalar + "_lane");
    writer.line(fmt::format("{} {}[{}]{};", each.type, name, macro_, each.op == "+" ? " = {}" : ""));
    if (each.op != "+")
      writer.line(fmt::format("for (int {} = 0; {} < {}; ++{}) {}[{}] = {};", lane, lane, macro_, lane, name, lane,
                              each.op == "*" ? "1" : each.scalar));
    return name;
  }

  void combine(Writer &writer, const Lane &each, const std::string &name, const std::string &lane) const {
    const std::string head = fmt::format("for (int {} = 0; {} < {}; ++{})", lane, lane, macro_, lane);
    const std::string value = fmt::format("{}[{}]", name, lane);
    if (each.op == "max")
      return writer.line(fmt::format("{} if ({} < {}) {} = {};", head, each.scalar, value, each.scalar, value));
    if (each.op == "min")
      return writer.line(fmt::format("{} if ({} < {}) {} = {};", head, value, each.scalar, each.scalar, value));
    writer.line(fmt::format("{} {} {}= {};", head, each.scalar, each.op, value));
  }
};

std::string without_const(std::string type) {
  if (type.starts_with("const ")) type.erase(0, 6);
  return type;
}

// The reductions of the loop's body into scalars that outlive an iteration, if nothing else does so in scalars. What the body
// stores in arrays stays in order: lanes do not change when an iteration runs.
std::optional<std::vector<Lane>> reductions_of(const Node &loop) {
  std::set<std::string> declared;
  std::vector<Lane> lanes;
  for (const Node &node : loop.body)
    if (node.declares) declared.insert(node.declares->name);
  for (const Node &node : loop.body) {
    for (const ScalarUse &use : node.scalars) {
      if (declared.contains(use.name)) continue;
      const bool is_target = node.reduction && node.reduction->scalar == use.name;
      if (use.kind == "read" && !is_target) continue;
      if (!is_target) return std::nullopt;
      if (std::any_of(lanes.begin(), lanes.end(), [&](const Lane &lane) { return lane.scalar == use.name; })) {
        if (use.kind == "update" || use.kind == "write")
          continue; // the same target again: `sum = sum + x` is a read and a write
        continue;
      }
      lanes.push_back({use.name, without_const(use.type), node.reduction->op});
    }
  }
  return lanes;
}

// A reduction's target must not be used by any other statement of the loop, nor by another reduction operator.
bool targets_are_private(const Node &loop, const std::vector<Lane> &lanes) {
  for (const Lane &lane : lanes) {
    std::set<std::string> operators;
    for (const Node &node : loop.body) {
      const bool is_own = node.reduction && node.reduction->scalar == lane.scalar;
      if (is_own) operators.insert(node.reduction->op);
      if (!is_own && words_in(node.text).contains(lane.scalar)) return false;
    }
    if (operators.size() != 1) return false;
  }
  return true;
}

} // namespace

std::optional<Shaped> lanes(const Node &loop, const std::vector<Polynomial> &, const Workshop &workshop) {
  if (!can_be_cut(loop) || !only_statements(loop.body)) return std::nullopt;
  const auto targets = reductions_of(loop);
  if (!targets || targets->empty() || !targets_are_private(loop, *targets)) return std::nullopt;
  const bool floating = std::any_of(targets->begin(), targets->end(),
                                    [](const Lane &lane) { return lane.type == "double" || lane.type == "float"; });
  if (!floating) return std::nullopt; // compilers reorder integers themselves
  const std::string macro = workshop.names.fresh("KOPT_LANES");
  Shaped shaped;
  shaped.loop = &loop;
  shaped.shape = std::make_unique<Lanes>(loop, *targets, macro);
  shaped.technique = "reduction splitting";
  shaped.reorders_reduction = true;
  shaped.tunables = {{macro, {"8", "4", "16", "32"}}};
  return shaped;
}

} // namespace kopt
