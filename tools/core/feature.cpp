#include "core/feature.h"

#include <algorithm>
#include <array>

namespace kopt {

namespace {

// Those that __builtin_cpu_supports() knows and that add instructions for computing.
constexpr std::array<std::string_view, 16> features{"sse3",     "ssse3",    "sse4.1",   "sse4.2",    "popcnt",  "avx",
                                                    "avx2",     "fma",      "bmi",      "bmi2",      "avx512f", "avx512vl",
                                                    "avx512bw", "avx512dq", "avx512cd", "avx512vnni"};

} // namespace

bool is_feature(std::string_view name) { return std::find(features.begin(), features.end(), name) != features.end(); }

bool fuses_multiply_add(std::string_view name) { return name == "fma" || name.starts_with("avx512"); }

bool may_contract(const std::vector<std::string> &arguments) {
  const std::string option = "-ffp-contract=";
  const auto last = std::find_if(arguments.rbegin(), arguments.rend(),
                                 [&](const std::string &argument) { return argument.starts_with(option); });
  return last == arguments.rend() || last->substr(option.size()) == "fast";
}

bool chooses_features(const std::vector<std::string> &arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string &argument) {
    if (argument.starts_with("-march=")) return argument != "-march=x86-64";
    if (!argument.starts_with("-m") || argument.starts_with("-mno-")) return false;
    return is_feature(std::string_view(argument).substr(2));
  });
}

} // namespace kopt
