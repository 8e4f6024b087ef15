// kopt report: what the journals hold of the latest tuning run of each kernel, candidate by candidate.
#include "core/spec.h"
#include "kopt/verb.h"
#include "report/table.h"
#include "search/journal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kopt {

namespace {

std::string parameters_text(const std::map<std::string, std::string> &parameters) {
  std::string text;
  for (const auto &[name, value] : parameters) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

Json json_of(const JournalEntry &entry) {
  return {{"kernel", entry.kernel},         {"started", entry.started},
          {"variant", entry.variant},       {"patterns", entry.patterns},
          {"parameters", entry.parameters}, {"thoroughness", entry.thoroughness == Thoroughness::Full ? "full" : "quick"},
          {"verdict", entry.verdict}};
}

Result<std::vector<JournalEntry>> entries_of(Context &context, const fs::path &path, bool all_runs) {
  KOPT_TRY(spec, read_spec(context.disk, path));
  const fs::path file = spec.work_dir / "journal.sqlite";
  if (!context.disk.exists(file)) return fail("nothing has been tuned yet", spec.target, "run ninja kopt-tune");
  KOPT_TRY(journal, Journal::open(file));
  return all_runs ? journal.all() : journal.latest();
}

void print_table(const std::vector<JournalEntry> &entries) {
  Table table({"kernel", "candidate", "parameters", "judged", "speedup", "rounding", "verdict", "reason"});
  for (const JournalEntry &entry : entries)
    table.add({entry.kernel, fmt::format("{}", fmt::join(entry.patterns, "+")), parameters_text(entry.parameters),
               entry.thoroughness == Thoroughness::Full ? "full" : "quick", speedup_text(entry.verdict),
               rounding_text(entry.verdict), to_string(entry.verdict.kind), entry.verdict.reason});
  fmt::print("{}", table.text());
}

void report(Context &context, const std::vector<std::string> &specs, bool all_runs, bool as_json) {
  std::vector<JournalEntry> all;
  for (const std::string &path : specs) {
    auto entries = entries_of(context, path, all_runs);
    if (!entries) return report_error(context, entries.error());
    all.insert(all.end(), entries->begin(), entries->end());
  }
  if (!as_json) return print_table(all);
  Json document = Json::array();
  for (const JournalEntry &entry : all) document.push_back(json_of(entry));
  fmt::print("{}\n", document.dump(2));
}

} // namespace

void add_report(CLI::App &app, Context &context) {
  auto *verb = app.add_subcommand("report", "Print what the latest tuning run judged");
  auto specs = std::make_shared<std::vector<std::string>>();
  auto all_runs = std::make_shared<bool>(false), as_json = std::make_shared<bool>(false);
  verb->add_option("--spec", *specs, "Target to report on: <build>/kopt/<target>/spec.json")->required();
  verb->add_flag("--all", *all_runs, "Every run, not the latest of each kernel alone");
  verb->add_flag("--json", *as_json, "Print JSON");
  verb->callback([&context, specs, all_runs, as_json] { report(context, *specs, *all_runs, *as_json); });
}

} // namespace kopt
