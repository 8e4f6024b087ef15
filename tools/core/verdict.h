// Verdict: the outcome of judging one candidate.
#pragma once

#include "core/json.h"

#include <optional>
#include <string>
#include <vector>

namespace kopt {

enum class VerdictKind { Faster, Same, Slower, Inconclusive, Incorrect, Invalid, Suspect };

[[nodiscard]] std::string to_string(VerdictKind kind);
[[nodiscard]] std::optional<VerdictKind> verdict_kind_of(const std::string &word);

struct CaseTiming {
  std::string name;
  double speedup = 0, low = 0, high = 0;  // baseline time / variant time, and its confidence interval
  double baseline_ns = 0, variant_ns = 0; // medians
  int pairs = 0;
  double weight = 0; // share of the timed cases' time, by their weights; 0: not known
};

struct Verdict {
  VerdictKind kind = VerdictKind::Invalid;
  std::string reason;                    // one line: why not faster
  std::string evidence;                  // compiler output, first wrong element ...
  double speedup = 0, low = 0, high = 0; // of all timed cases' time, by their weights; zero where not timed
  double confidence = 0;
  std::vector<CaseTiming> cases;
  // How equality was judged: tolerance given, and where the noise band came from.
  double relative_tolerance = 0, absolute_tolerance = 0, worst_error = 0;
  std::string tolerance_source;
  std::vector<std::string> precision; // what the variant changes about rounding, in words
};

void to_json(Json &json, const Verdict &verdict);
void from_json(const Json &json, Verdict &verdict);

} // namespace kopt
