// Draft: a variant in the making. It begins as the kernel's own body; techniques rewrite its nests, then shapes are chosen for
// how its loops are printed.
#pragma once

#include "propose/rules/fragment.h"
#include "propose/rules/shapes.h"

#include <functional>

namespace kopt {

class Draft {
public:
  Draft(const Model &model, const Machine &machine, Integers &integers, std::vector<Refusal> &refusals);

  using Technique = std::function<std::optional<Rewrite>(const Nest &, const Workshop &)>;
  // Rewrites every loop that the technique applies to, the outermost of several within each other.
  void apply(const Technique &technique);

  // Chooses a shape for each nest, from the first of these that fits, after all rewriting.
  enum class Cut { Contractions, Eliminations, Bands, Strips, Registers, Columns, Lanes, Tiles };
  void shape(const std::vector<Cut> &cuts);

  // Gives whole stretches of the body's outermost loops a new order.
  void reschedule(Fusion fusion, const TileSizes &tiles);

  // Runs outermost loops on several threads where that is legal, after all shaping. How their iterations are dealt out: in
  // chunks, or those of two loops together.
  enum class Deal { Chunks, Collapsed };
  [[nodiscard]] bool parallelize(Deal deal);

  // Nothing where no technique applied and `restrict` is all there is but is not wanted either.
  [[nodiscard]] std::optional<Proposal> finish(const std::optional<Restriction> &restriction);

private:
  const Model &model_;
  Nodes body_;
  Names names_;
  Workshop workshop_;
  Writer::Shapes shapes_;
  std::set<const Node *> independent_;
  std::set<std::string> final_; // statements that rewrites leave alone from now on
  DisjointPairs assumed_;
  std::vector<std::string> techniques_; // in the order they were applied
  std::vector<ParameterRange> tunables_;
  std::set<std::string> guards_; // conditions of the plan
  bool reorders_reduction_ = false;

  void rewrite_in(Nodes &list, const std::vector<Polynomial> &context, const std::vector<const Node *> &outer,
                  const Technique &technique);
  bool is_final(const Node &root) const;
  void shape_in(const Nodes &list, const std::vector<Polynomial> &context, const std::vector<Cut> &cuts);
  void note(const std::string &technique, bool reorders, const DisjointPairs &assumed);
  bool take(std::optional<Shaped> shaped);
  bool cut(const Node &root, const std::vector<Polynomial> &context, Cut way);
  void mark_independent(bool restricted);
};

} // namespace kopt
