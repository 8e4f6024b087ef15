// Record: an accepted variant's entry in the store (docs/formats.md, "Record").
#pragma once

#include "core/model.h"
#include "core/variant.h"
#include "core/verdict.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

struct Validation {
  double kernel_speedup = 0, kernel_low = 0, kernel_high = 0;
  double application_speedup = 0, application_low = 0, application_high = 0;
  double mep_speedup = 0;
  std::string output; // same, within tolerance, not compared: why
  std::string date;
};

// A variant that the application refuted (`kopt validate`), while the closure was what this hash says.
struct Refutation {
  std::string variant_hash, plan_hash;
  std::map<std::string, std::string> parameters;
  std::string closure, reason, date;
};

struct Record {
  static constexpr const char *format = "kopt-record";
  static constexpr int version = 1;

  std::string kernel, slug, target, platform = "host", arch;
  std::string source;               // relative to the spec's directory when below source_root
  std::vector<std::string> sources; // all that the kernel's text is put into, source first; more than one for a header's
  Anchor anchor;
  std::vector<Piece> pieces;
  std::map<std::string, std::string> macros;
  std::vector<Leaf> leaves;
  std::vector<Parameter> parameters;
  std::vector<std::string> namespaces;
  std::vector<TemplateArgument> template_arguments;
  std::string return_type;
  std::string variant_file = "variant.cpp", variant_hash, plan_file = "plan.txt", plan_hash;
  std::string status = "provisional"; // or validated
  Verdict verdict;
  std::optional<Validation> validation;
  std::map<std::string, std::string> environment; // cpu, compiler, flags, date, kopt
  std::string proposer;
  std::vector<std::string> patterns, parents;
  std::map<std::string, std::string> parameters_chosen; // values of tunable macros
  std::vector<Refutation> refuted;                      // of this kernel, this variant not among them
};

// What of the closure a variant is made from, as one hash: a variant, and what was found about it, hold while it is the same.
[[nodiscard]] std::string closure_hash(const std::vector<Piece> &pieces, const std::map<std::string, std::string> &macros);

void to_json(Json &json, const Record &record);
void from_json(const Json &json, Record &record);
[[nodiscard]] Result<Record> read_record(const Disk &disk, const fs::path &path);

} // namespace kopt
