// Source: the texts that judged objects are compiled from (docs/formats.md, "Judged objects"): the closure of a kernel, as it
// is or with a variant put in by the anchored edit, and the *glue*, which calls the kernel by the flat convention of leaves.
#pragma once

#include "core/model.h"
#include "core/variant.h"

#include <string>

namespace kopt {

// The closure and the glue.
[[nodiscard]] std::string baseline_source(const Model &model);

// The closure with the variant dispatched in it, exactly as it will be in the application, and the glue. An Error for a plan
// that is wrong.
[[nodiscard]] Result<std::string> candidate_source(const Model &model, const Variant &variant);

// kernel.cpp of a MEP: the baseline, or with -DKOPT_VARIANT the closure with the file variant.cpp beside it dispatched without
// guards.
[[nodiscard]] std::string mep_source(const Model &model);

// The glue alone, to follow the closure in one source.
[[nodiscard]] std::string glue_source(const Model &model);

} // namespace kopt
