// Sizing: which integer scalars make a kernel's size, and cases at other sizes made from one that is given: *sized* cases. They
// are held out from proposers and never timed; a variant that is right only at the sizes it was made for fails on them.
//
// Size scalars stand in extents or loop bounds. They are changed together, so that equal ones stay equal and their order stays
// (`ld >= n`); small ones beside large ones (strides, radii) stay as they are. Buffers get the extents of the model;
// floating-point contents are drawn from the range that the given case has, everything else from its elements.
#pragma once

#include "core/case.h"
#include "core/model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kopt {

struct Sizing {
  std::vector<std::size_t> scalars; // leaves, by index
  bool may_grow = true;             // nothing of a fixed size would be outgrown
  std::string why_fixed;            // why sizes are not varied; empty: they are
};

[[nodiscard]] Sizing sizing_of(const Model &model);

struct SizedCases {
  std::vector<Case> cases;
  std::string why_none;
};

[[nodiscard]] SizedCases sized_cases(const Model &model, const Case &base, std::uint64_t seed);

} // namespace kopt
