// Rules: the proposer without an LLM: an affine optimizer that reads only the model. It rearranges loops where isl proves that
// no dependence is turned around, and says which statement stopped it where it cannot.
#pragma once

#include "propose/proposer.h"

namespace kopt {

class Rules final : public Proposer {
public:
  [[nodiscard]] std::string name() const override { return "rules"; }
  // All that the catalogue has, in round 0; the answer depends on the model alone.
  [[nodiscard]] Result<Proposals> propose(const Model &model, int round) override;
};

} // namespace kopt
