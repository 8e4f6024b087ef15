// Extension: a proposal once more, for processor features that the application's flags leave out. Its plan requires them, so
// that on an older processor the original runs.
#pragma once

#include "propose/proposer.h"

namespace kopt {

// What each of the most promising proposals becomes with wider vectors, and with fused multiply-add. Nothing where the
// application's own flags choose features, or the machine is no x86-64.
[[nodiscard]] std::vector<Proposal> extended(const Model &model, const std::vector<Proposal> &proposals);

} // namespace kopt
