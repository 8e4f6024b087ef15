// Journal: the SQLite database of tuning runs (docs/formats.md). A run is one search over one kernel; each of its evaluations
// is written as soon as it is known, so that a killed run goes on where it stopped and no candidate is judged twice in a run.
#pragma once

#include "core/disk.h"
#include "core/variant.h"
#include "core/verdict.h"
#include "search/evaluator.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;

namespace kopt {

struct JournalEntry {
  std::string kernel, started, variant; // variant: its hash
  std::vector<std::string> patterns;
  std::map<std::string, std::string> parameters;
  Thoroughness thoroughness = Thoroughness::Quick;
  Verdict verdict;
};

class Journal {
public:
  static constexpr int version = 1;

  // Opens or creates. A newer version, a foreign file or a read-only folder is an error.
  static Result<Journal> open(const fs::path &path);

  // The unfinished run of this kernel with the same key (everything its verdicts depend on), else a new one.
  Result<long> start_run(const std::string &kernel, const std::string &key, const std::string &date);
  Result<void> finish_run(long run);
  Result<void> record(long run, const Variant &variant, Thoroughness thoroughness, const Verdict &verdict,
                      const std::string &date);
  [[nodiscard]] std::optional<Verdict> find(long run, const Variant &variant, Thoroughness thoroughness) const;
  [[nodiscard]] long evaluations(long run) const;
  // Everything judged in the latest run of each kernel, in order.
  [[nodiscard]] std::vector<JournalEntry> latest() const;

private:
  struct Close {
    void operator()(sqlite3 *database) const;
  };
  explicit Journal(sqlite3 *database) : database_(database) {}
  Result<void> execute(const std::string &sql);

  std::unique_ptr<sqlite3, Close> database_;
};

// An evaluator that asks the journal first and writes every new verdict to it.
class JournaledEvaluator final : public Evaluator {
public:
  JournaledEvaluator(Evaluator &evaluator, Journal &journal, long run, std::string date)
      : evaluator_(evaluator), journal_(journal), run_(run), date_(std::move(date)) {}
  Verdict evaluate(const Variant &variant, Thoroughness thoroughness) override;
  // The first failure to write, which must not lose the verdict but must be told.
  [[nodiscard]] const std::optional<Error> &trouble() const { return trouble_; }

private:
  Evaluator &evaluator_;
  Journal &journal_;
  long run_;
  std::string date_;
  std::optional<Error> trouble_;
};

} // namespace kopt
