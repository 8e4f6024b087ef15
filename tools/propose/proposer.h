// Proposer: makes variants of a kernel from its model. Proposals are what it found; refusals say what it left alone, and which
// statement stopped it.
#pragma once

#include "core/model.h"
#include "core/variant.h"

#include <string>
#include <vector>

namespace kopt {

// A macro of a variant whose value may be explored with -D; the first value is the default written in the variant.
struct ParameterRange {
  std::string macro;
  std::vector<std::string> values;
};

struct Proposal {
  Variant variant;
  std::vector<ParameterRange> tunables;
  std::string summary; // one line: the techniques, and where
};

struct Refusal {
  std::string technique;
  std::string reason; // names the statement, and what could not be proven
  int line = 0;       // in the kernel's file
};

struct Proposals {
  std::vector<Proposal> proposals; // most promising first
  std::vector<Refusal> refusals;
};

class Proposer {
public:
  virtual ~Proposer() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  // Rounds count from 0. A proposer that has nothing more to say returns no proposals.
  [[nodiscard]] virtual Result<Proposals> propose(const Model &model, int round) = 0;
};

} // namespace kopt
