#include "propose/rules/extension.h"

#include "core/feature.h"
#include "core/spec.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kopt {

namespace {

bool computes_floats(const Model &model) {
  return std::any_of(model.leaves.begin(), model.leaves.end(),
                     [](const Leaf &leaf) { return leaf.element.category == "float" || leaf.element.category == "struct"; });
}

// Helpers of the closure need no attribute: code for fewer features may be inlined into code for more.
std::optional<Proposal> with_features(const Proposal &proposal, const std::string &name,
                                      const std::vector<std::string> &features) {
  Proposal extended = proposal;
  std::string &text = extended.variant.text;
  const size_t entry = text.find(" kopt_variant("), head = text.rfind("static inline ", entry);
  if (entry == std::string::npos || head == std::string::npos) return std::nullopt;
  text.insert(head, fmt::format("__attribute__((target(\"{}\")))\n", fmt::join(features, ",")));
  std::string guards;
  for (const std::string &feature : features) guards += fmt::format("{}cpu({})", guards.empty() ? "" : " and ", feature);
  extended.variant.plan = "require " + guards + "\n" + extended.variant.plan;
  extended.variant.patterns.push_back(name);
  extended.summary += ", " + name;
  return extended;
}

} // namespace

std::vector<Proposal> extended(const Model &model, const std::vector<Proposal> &proposals) {
  if (host_arch() != "x86_64" || chooses_features(model.compile.arguments)) return {};
  std::vector<Proposal> all;
  for (size_t i = 0; i < proposals.size(); ++i) {
    if (i >= 2 && i + 1 < proposals.size()) continue; // the two best and the simplest: each costs two more candidates
    if (auto wide = with_features(proposals[i], "avx2", {"avx2"})) all.push_back(std::move(*wide));
    auto fused = computes_floats(model) ? with_features(proposals[i], "avx2 with fma", {"avx2", "fma"}) : std::nullopt;
    if (!fused) continue;
    if (may_contract(model.compile.arguments)) fused->variant.precision.emplace_back("contracts floating point");
    all.push_back(std::move(*fused));
  }
  return all;
}

} // namespace kopt
