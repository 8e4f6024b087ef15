// Precision: what a variant changes about rounding, and which processor features its text uses, told from the text and from how
// it is compiled. Results may differ in their last digits then, and the tolerance decides; a user must be told.
#pragma once

#include "core/model.h"
#include "core/plan.h"
#include "core/variant.h"

#include <optional>
#include <string>
#include <vector>

namespace kopt {

// In words, one for each kind of change: "adds up sums in another order", "contracts floating point". What the proposer
// declared, and what can be seen.
[[nodiscard]] std::vector<std::string> precision_changes(const Variant &variant, const Compile &compile);

// The features named by `target` attributes, sorted.
[[nodiscard]] std::vector<std::string> features_used(std::string_view variant);

// A feature that the text uses although the plan does not make sure that the processor has it.
[[nodiscard]] std::optional<std::string> unguarded_feature(std::string_view variant, const Plan &plan);

} // namespace kopt
