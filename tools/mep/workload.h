// Workload: all cases of a kernel: those of the user (CASES, HELD_OUT), those captured from the application, where none of
// these is held out from proposers, *derived* ones (a timed case with other floating-point contents), and *sized* ones: the
// heaviest timed case at other sizes (mep/sizing.h).
#pragma once

#include "core/case.h"
#include "core/disk.h"
#include "core/model.h"
#include "core/spec.h"

#include <cstdint>
#include <vector>

namespace kopt {

// Names are unique. An Error where there is no case at all, or none that a proposer may see.
[[nodiscard]] Result<std::vector<Case>> load_workload(const Disk &disk, const Spec &spec, const Model &model,
                                                      std::uint64_t seed = 1);

// Why a workload has no sized cases; empty where it has.
[[nodiscard]] std::string why_no_sizes(const Model &model, const std::vector<Case> &workload, std::uint64_t seed = 1);

// The cases that are given, without those that are made; may be empty.
[[nodiscard]] Result<std::vector<Case>> given_cases(const Disk &disk, const Spec &spec, const Model &model,
                                                    std::uint64_t seed = 1);

// The case with every floating-point number in its buffers drawn anew between the least and the greatest that its buffer held;
// integers and structs' other members keep theirs, for they may be indices. What the application computed is no longer known.
[[nodiscard]] Case derived_case(const Model &model, const Case &kase, std::uint64_t seed);

// Where captured cases of a kernel are.
[[nodiscard]] fs::path captured_cases_path(const Spec &spec, const Model &model);

} // namespace kopt
