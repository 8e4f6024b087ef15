#include "search/recorded_evaluator.h"

#include "core/hash.h"
#include "search/journal.h"

namespace kopt {

namespace {

Result<RecordedVerdicts> from_report(const std::string &text, const std::string &where) {
  KOPT_TRY(document, parse_json(text, where));
  RecordedVerdicts recorded;
  if (!document.is_array())
    return fail("holds no verdicts", where, "give a journal.sqlite, or what `kopt report --json` printed");
  for (const Json &entry : document) {
    KOPT_TRY(verdict, decode<Verdict>(entry.value("verdict", Json::object()), where));
    const bool full = entry.value("thoroughness", "quick") == "full";
    recorded.verdicts[{entry.value("variant", ""), full ? Thoroughness::Full : Thoroughness::Quick}] = verdict;
  }
  return recorded;
}

Result<RecordedVerdicts> from_journal(const fs::path &path) {
  KOPT_TRY(journal, Journal::open(path));
  RecordedVerdicts recorded;
  for (const JournalEntry &entry : journal.all()) recorded.verdicts[{entry.variant, entry.thoroughness}] = entry.verdict;
  return recorded;
}

} // namespace

Result<RecordedVerdicts> RecordedVerdicts::read(const Disk &disk, const fs::path &path) {
  KOPT_TRY(text, disk.read(path));
  const std::string hash = hash_of(text);
  KOPT_TRY(recorded, text.starts_with("SQLite format 3") ? from_journal(path) : from_report(text, path.string()));
  recorded.hash = hash;
  return recorded;
}

Result<Verdict> RecordedEvaluator::evaluate(const Variant &variant, Thoroughness thoroughness) {
  if (const auto found = recorded_.verdicts.find({variant.hash(), thoroughness}); found != recorded_.verdicts.end())
    return found->second;
  Verdict verdict;
  verdict.reason = "was not judged in the recording";
  return verdict;
}

} // namespace kopt
