#include "core/verdict.h"

#include <array>

namespace kopt {

namespace {
constexpr std::array<const char *, 7> names = {"faster", "same", "slower", "inconclusive", "incorrect", "invalid", "suspect"};
}

std::string to_string(VerdictKind kind) { return names.at(static_cast<std::size_t>(kind)); }

std::optional<VerdictKind> verdict_kind_of(const std::string &word) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (word == names.at(i)) return static_cast<VerdictKind>(i);
  return std::nullopt;
}

void to_json(Json &json, const Verdict &verdict) {
  json = Json{
      {"kind", to_string(verdict.kind)},  {"speedup", verdict.speedup}, {"low", verdict.low},          {"high", verdict.high},
      {"confidence", verdict.confidence}, {"reason", verdict.reason},   {"evidence", verdict.evidence}};
  json["cases"] = Json::array();
  for (const CaseTiming &timing : verdict.cases)
    json["cases"].push_back({{"name", timing.name},
                             {"speedup", timing.speedup},
                             {"low", timing.low},
                             {"high", timing.high},
                             {"baseline_ns", timing.baseline_ns},
                             {"variant_ns", timing.variant_ns},
                             {"pairs", timing.pairs},
                             {"weight", timing.weight}});
  json["tolerance"] = {{"relative", verdict.relative_tolerance},
                       {"absolute", verdict.absolute_tolerance},
                       {"source", verdict.tolerance_source},
                       {"worst_error", verdict.worst_error}};
  if (!verdict.precision.empty()) json["precision"] = verdict.precision;
}

void from_json(const Json &json, Verdict &verdict) {
  const auto kind = verdict_kind_of(json.at("kind").get<std::string>());
  verdict.kind = kind.value_or(VerdictKind::Invalid);
  verdict.speedup = json.value("speedup", 0.0);
  verdict.low = json.value("low", 0.0);
  verdict.high = json.value("high", 0.0);
  verdict.confidence = json.value("confidence", 0.0);
  verdict.reason = json.value("reason", "");
  verdict.evidence = json.value("evidence", "");
  verdict.cases.clear();
  for (const Json &entry : json.value("cases", Json::array()))
    verdict.cases.push_back({entry.at("name").get<std::string>(), entry.value("speedup", 0.0), entry.value("low", 0.0),
                             entry.value("high", 0.0), entry.value("baseline_ns", 0.0), entry.value("variant_ns", 0.0),
                             entry.value("pairs", 0), entry.value("weight", 0.0)});
  const Json tolerance = json.value("tolerance", Json::object());
  verdict.relative_tolerance = tolerance.value("relative", 0.0);
  verdict.absolute_tolerance = tolerance.value("absolute", 0.0);
  verdict.tolerance_source = tolerance.value("source", "");
  verdict.worst_error = tolerance.value("worst_error", 0.0);
  verdict.precision = json.value("precision", std::vector<std::string>{});
}

} // namespace kopt
