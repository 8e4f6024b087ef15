// Journal: the SQLite database of tuning (docs/formats.md, "Journal"). A *run* is the search over one kernel; its key is the
// hash of everything that its verdicts depend on. Each of its *evaluations* is written before it is made and as soon as its
// verdict is known. Whoever searches the same again goes on with the run: what has a verdict keeps it, what was being judged
// when a command was killed is judged again, and nothing is judged twice.
#pragma once

#include "core/disk.h"
#include "core/variant.h"
#include "core/verdict.h"
#include "search/evaluator.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;

namespace kopt {

struct Run {
  long id = 0;
  std::string started;
};

struct JournalEntry {
  std::string kernel, started, variant; // variant: its hash
  std::vector<std::string> patterns;
  std::map<std::string, std::string> parameters;
  Thoroughness thoroughness = Thoroughness::Quick;
  Verdict verdict;
};

class Journal {
public:
  static constexpr int version = 2;

  // Opens for reading and writing, or creates. A newer version, a file that is no journal, a broken one, or a folder that
  // cannot be written is an Error.
  static Result<Journal> open(const fs::path &path);
  // The same, but a broken or foreign file is moved aside first, which the notes say: no search should have to wait for
  // history.
  static Result<Journal> open_or_replace(const fs::path &path);

  // What a user should know about this journal: that a broken one was moved aside, that its file system has no locks.
  [[nodiscard]] const std::vector<std::string> &notes() const { return notes_; }

  // The latest run of this kernel with this key, else, or if it is wished, a new one.
  Result<Run> start_run(const std::string &kernel, const std::string &key, const std::string &date, bool anew = false);

  // A candidate is planned, then running, then done; it never goes back.
  Result<void> plan(long run, const std::vector<Variant> &variants, const std::string &date);
  Result<void> begin(long run, const Variant &variant, Thoroughness thoroughness, const std::string &date);
  Result<void> record(long run, const Variant &variant, Thoroughness thoroughness, const Verdict &verdict, double seconds,
                      const std::string &date);

  [[nodiscard]] Result<std::optional<Verdict>> find(long run, const Variant &variant, Thoroughness thoroughness) const;
  [[nodiscard]] long evaluations(long run) const; // that are done
  [[nodiscard]] double seconds(long run) const;   // that they took
  // Every verdict of the latest run of each kernel, in order.
  [[nodiscard]] std::vector<JournalEntry> latest() const;
  // Every verdict there is, oldest first.
  [[nodiscard]] std::vector<JournalEntry> all() const;

private:
  struct Close {
    void operator()(sqlite3 *database) const;
  };
  explicit Journal(sqlite3 *database) : database_(database) {}
  static Result<Journal> attempt(const fs::path &path, bool &broken);
  Result<void> execute(const std::string &sql, const fs::path &path);
  Result<void> prepare(const fs::path &path, bool locks);
  [[nodiscard]] std::vector<JournalEntry> entries(const std::string &condition) const;

  std::unique_ptr<sqlite3, Close> database_;
  std::vector<std::string> notes_;
};

} // namespace kopt
