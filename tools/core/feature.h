// Feature: an extension of a processor's instruction set, by GCC's name ("avx2"), which a plan may require and a variant's
// `__attribute__((target("avx2,fma")))` may use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kopt {

[[nodiscard]] bool is_feature(std::string_view name);

// Whether its instructions round a * b + c once: with it, compilers contract floating point unless told not to.
[[nodiscard]] bool fuses_multiply_add(std::string_view name);

// Whether a compiler with these arguments contracts floating point where the instructions are there, as GCC does by default.
[[nodiscard]] bool may_contract(const std::vector<std::string> &arguments);

// Whether arguments of a compiler choose instructions beyond the architecture's oldest: -march=native, -mavx2 ...
[[nodiscard]] bool chooses_features(const std::vector<std::string> &arguments);

} // namespace kopt
