// RecordedEvaluator: gives the verdicts that an earlier search reached (`kopt tune --replay-verdicts FILE`), by the candidate's
// hash, so that a search can be repeated exactly, without compiling, running or timing anything.
#pragma once

#include "core/disk.h"
#include "search/evaluator.h"

#include <map>
#include <string>
#include <utility>

namespace kopt {

struct RecordedVerdicts {
  std::string hash; // of the file they come from
  std::map<std::pair<std::string, Thoroughness>, Verdict> verdicts;

  // From a journal, or from what `kopt report --json` printed.
  static Result<RecordedVerdicts> read(const Disk &disk, const fs::path &path);
};

class RecordedEvaluator final : public Evaluator {
public:
  explicit RecordedEvaluator(const RecordedVerdicts &recorded) : recorded_(recorded) {}
  // A candidate that was not recorded is `invalid`, and says so.
  Result<Verdict> evaluate(const Variant &variant, Thoroughness thoroughness) override;

private:
  const RecordedVerdicts &recorded_;
};

} // namespace kopt
