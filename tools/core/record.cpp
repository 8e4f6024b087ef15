#include "core/record.h"

#include "core/hash.h"

#include <algorithm>

namespace kopt {

namespace {

Json json_of(const Validation &validation) {
  return {{"kernel_speedup", validation.kernel_speedup},
          {"kernel_low", validation.kernel_low},
          {"kernel_high", validation.kernel_high},
          {"application_speedup", validation.application_speedup},
          {"application_low", validation.application_low},
          {"application_high", validation.application_high},
          {"mep_speedup", validation.mep_speedup},
          {"output", validation.output},
          {"date", validation.date}};
}

Validation validation_of(const Json &json) {
  return {json.value("kernel_speedup", 0.0),      json.value("kernel_low", 0.0),      json.value("kernel_high", 0.0),
          json.value("application_speedup", 0.0), json.value("application_low", 0.0), json.value("application_high", 0.0),
          json.value("mep_speedup", 0.0),         json.value("output", ""),           json.value("date", "")};
}

Json json_of(const Refutation &refutation) {
  return {{"variant", refutation.variant_hash}, {"plan", refutation.plan_hash}, {"parameters", refutation.parameters},
          {"closure", refutation.closure},      {"reason", refutation.reason},  {"date", refutation.date}};
}

Refutation refutation_of(const Json &json) {
  return {json.at("variant").get<std::string>(),
          json.at("plan").get<std::string>(),
          json.value("parameters", std::map<std::string, std::string>{}),
          json.at("closure").get<std::string>(),
          json.value("reason", ""),
          json.value("date", "")};
}

} // namespace

std::string closure_hash(const std::vector<Piece> &pieces, const std::map<std::string, std::string> &macros) {
  std::vector<std::string> parts;
  for (const Piece &piece : pieces) parts.push_back(piece.hash);
  std::sort(parts.begin(), parts.end()); // an edit elsewhere may move pieces past each other
  for (const auto &[name, value] : macros) parts.push_back(name + "=" + value);
  std::string whole;
  for (const std::string &part : parts) whole += part + '\n';
  return hash_of(whole);
}

void to_json(Json &json, const Record &record) {
  json = new_document(Record::format, Record::version);
  json["kernel"] = record.kernel;
  json["slug"] = record.slug;
  json["target"] = record.target;
  json["platform"] = record.platform;
  json["arch"] = record.arch;
  json["source"] = record.source;
  if (record.sources.size() > 1) json["sources"] = record.sources;
  json["anchor"] = record.anchor;
  json["pieces"] = record.pieces;
  json["macros"] = record.macros;
  json["leaves"] = record.leaves;
  json["parameters"] = record.parameters;
  json["namespaces"] = record.namespaces;
  if (!record.template_arguments.empty()) json["template_arguments"] = record.template_arguments;
  json["return_type"] = record.return_type;
  json["variant"] = {{"file", record.variant_file},
                     {"hash", record.variant_hash},
                     {"plan", record.plan_file},
                     {"plan_hash", record.plan_hash}};
  json["status"] = record.status;
  json["verdict"] = record.verdict;
  json["validation"] = record.validation ? json_of(*record.validation) : Json(nullptr);
  json["environment"] = record.environment;
  json["provenance"] = {{"proposer", record.proposer},
                        {"patterns", record.patterns},
                        {"parameters", record.parameters_chosen},
                        {"parents", record.parents}};
  if (record.refuted.empty()) return;
  json["refuted"] = Json::array();
  for (const Refutation &refutation : record.refuted) json["refuted"].push_back(json_of(refutation));
}

void from_json(const Json &json, Record &record) {
  record.kernel = json.at("kernel").get<std::string>();
  record.slug = json.at("slug").get<std::string>();
  record.target = json.at("target").get<std::string>();
  record.platform = json.value("platform", "host");
  record.arch = json.at("arch").get<std::string>();
  record.source = json.at("source").get<std::string>();
  record.sources = json.value("sources", std::vector<std::string>{record.source});
  record.anchor = json.at("anchor").get<Anchor>();
  record.pieces = json.at("pieces").get<std::vector<Piece>>();
  record.macros = json.value("macros", std::map<std::string, std::string>{});
  record.leaves = json.at("leaves").get<std::vector<Leaf>>();
  record.parameters = json.at("parameters").get<std::vector<Parameter>>();
  record.namespaces = json.value("namespaces", std::vector<std::string>{});
  record.template_arguments = json.value("template_arguments", std::vector<TemplateArgument>{});
  record.return_type = json.value("return_type", "void");
  const Json &variant = json.at("variant");
  record.variant_file = variant.at("file").get<std::string>();
  record.variant_hash = variant.at("hash").get<std::string>();
  record.plan_file = variant.at("plan").get<std::string>();
  record.plan_hash = variant.at("plan_hash").get<std::string>();
  record.status = json.value("status", "provisional");
  record.verdict = json.at("verdict").get<Verdict>();
  if (const Json validation = json.value("validation", Json()); validation.is_object())
    record.validation = validation_of(validation);
  record.environment = json.value("environment", std::map<std::string, std::string>{});
  const Json provenance = json.value("provenance", Json::object());
  record.proposer = provenance.value("proposer", "");
  record.patterns = provenance.value("patterns", std::vector<std::string>{});
  record.parameters_chosen = provenance.value("parameters", std::map<std::string, std::string>{});
  record.parents = provenance.value("parents", std::vector<std::string>{});
  record.refuted.clear();
  for (const Json &refuted : json.value("refuted", Json::array())) record.refuted.push_back(refutation_of(refuted));
}

Result<Record> read_record(const Disk &disk, const fs::path &path) {
  KOPT_TRY(json, read_document(disk, path, Record::format, Record::version));
  return decode<Record>(json, path.string());
}

} // namespace kopt
