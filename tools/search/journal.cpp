#include "search/journal.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace kopt {

namespace {

constexpr const char *schema = R"(
CREATE TABLE IF NOT EXISTS runs (
  id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, key TEXT NOT NULL, started TEXT NOT NULL, finished INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS evaluations (
  run INTEGER NOT NULL REFERENCES runs(id), variant TEXT NOT NULL, thoroughness INTEGER NOT NULL, kind TEXT NOT NULL, verdict TEXT NOT NULL,
  proposer TEXT NOT NULL, patterns TEXT NOT NULL, text TEXT NOT NULL, plan TEXT NOT NULL, parameters TEXT NOT NULL, date TEXT NOT NULL,
  PRIMARY KEY (run, variant, thoroughness));
)";

// A prepared statement with its arguments bound in order.
class Statement {
public:
  Statement(sqlite3 *database, const char *sql) : database_(database) {
    if (sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) != SQLITE_OK) statement_ = nullptr;
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  Statement &bind(const std::string &text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Statement &bind(long number) {
    sqlite3_bind_int64(statement_, ++bound_, number);
    return *this;
  }
  bool next() { return sqlite3_step(statement_) == SQLITE_ROW; }
  Result<void> run() {
    if (statement_ != nullptr && sqlite3_step(statement_) == SQLITE_DONE) return {};
    return fail(fmt::format("cannot write to the journal: {}", sqlite3_errmsg(database_)), {},
                "free some space or check the permissions of the build folder; nothing already recorded is lost");
  }
  [[nodiscard]] long number(int column) const { return static_cast<long>(sqlite3_column_int64(statement_, column)); }
  [[nodiscard]] std::string text(int column) const {
    const auto *bytes = reinterpret_cast<const char *>(sqlite3_column_text(statement_, column));
    return bytes == nullptr ? std::string() : bytes;
  }

private:
  sqlite3 *database_;
  sqlite3_stmt *statement_ = nullptr;
  int bound_ = 0;
};

} // namespace

void Journal::Close::operator()(sqlite3 *database) const { sqlite3_close_v2(database); }

Result<void> Journal::execute(const std::string &sql) {
  char *message = nullptr;
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return {};
  const std::string what = message == nullptr ? "unknown error" : message;
  sqlite3_free(message);
  return fail("cannot use the journal: " + what, {}, "if the file is broken, remove it: only the history of tuning is in it");
}

Result<Journal> Journal::open(const fs::path &path) {
  std::error_code code;
  fs::create_directories(path.parent_path(), code);
  sqlite3 *database = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Journal journal(database);
  if (status != SQLITE_OK)
    return fail(fmt::format("cannot open the journal: {}", sqlite3_errmsg(database)), path.string(),
                "check the permissions of the build folder");
  sqlite3_busy_timeout(database, 10000);
  const auto named = [&](Result<void> result) {
    if (!result) result.error().where = path.string();
    return result;
  };
  KOPT_CHECK(named(journal.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")));
  Statement version_query(database, "PRAGMA user_version");
  const long found = version_query.next() ? version_query.number(0) : 0;
  if (found > version)
    return fail(fmt::format("journal version {} is newer than the version {} this kopt reads", found, version), path.string(),
                "use the KernelOpt that wrote it, or remove the file to start anew");
  KOPT_CHECK(named(journal.execute(fmt::format("BEGIN; {} PRAGMA user_version = {}; COMMIT;", schema, version))));
  return journal;
}

Result<long> Journal::start_run(const std::string &kernel, const std::string &key, const std::string &date) {
  Statement unfinished(database_.get(),
                       "SELECT id FROM runs WHERE kernel = ? AND key = ? AND finished = 0 ORDER BY id DESC LIMIT 1");
  if (unfinished.bind(kernel).bind(key).next()) return unfinished.number(0);
  Statement insert(database_.get(), "INSERT INTO runs (kernel, key, started) VALUES (?, ?, ?)");
  KOPT_CHECK(insert.bind(kernel).bind(key).bind(date).run());
  return static_cast<long>(sqlite3_last_insert_rowid(database_.get()));
}

Result<void> Journal::finish_run(long run) {
  return Statement(database_.get(), "UPDATE runs SET finished = 1 WHERE id = ?").bind(run).run();
}

Result<void> Journal::record(long run, const Variant &variant, Thoroughness thoroughness, const Verdict &verdict,
                             const std::string &date) {
  return Statement(database_.get(), "INSERT OR REPLACE INTO evaluations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(run)
      .bind(variant.hash())
      .bind(static_cast<long>(thoroughness))
      .bind(to_string(verdict.kind))
      .bind(Json(verdict).dump(-1, ' ', false, Json::error_handler_t::replace))
      .bind(variant.proposer)
      .bind(Json(variant.patterns).dump())
      .bind(variant.text)
      .bind(variant.plan)
      .bind(Json(variant.parameters).dump())
      .bind(date)
      .run();
}

std::optional<Verdict> Journal::find(long run, const Variant &variant, Thoroughness thoroughness) const {
  Statement query(database_.get(), "SELECT verdict FROM evaluations WHERE run = ? AND variant = ? AND thoroughness = ?");
  if (!query.bind(run).bind(variant.hash()).bind(static_cast<long>(thoroughness)).next()) return std::nullopt;
  const auto json = parse_json(query.text(0), "journal");
  if (!json) return std::nullopt;
  const auto verdict = decode<Verdict>(*json, "journal");
  return verdict ? std::optional<Verdict>(*verdict) : std::nullopt;
}

long Journal::evaluations(long run) const {
  Statement query(database_.get(), "SELECT count(*) FROM evaluations WHERE run = ?");
  return query.bind(run).next() ? query.number(0) : 0;
}

std::vector<JournalEntry> Journal::latest() const {
  Statement query(
      database_.get(),
      "SELECT r.kernel, r.started, e.variant, e.patterns, e.parameters, e.thoroughness, e.verdict FROM evaluations e "
      "JOIN runs r ON r.id = e.run WHERE r.id IN (SELECT max(id) FROM runs GROUP BY kernel) ORDER BY r.id, e.rowid");
  std::vector<JournalEntry> entries;
  while (query.next()) {
    const auto patterns = parse_json(query.text(3), "journal"), parameters = parse_json(query.text(4), "journal");
    const auto json = parse_json(query.text(6), "journal");
    const auto verdict = json ? decode<Verdict>(*json, "journal") : Result<Verdict>(fail("unreadable"));
    if (!patterns || !parameters || !verdict) continue;
    entries.push_back({query.text(0), query.text(1), query.text(2), patterns->get<std::vector<std::string>>(),
                       parameters->get<std::map<std::string, std::string>>(), static_cast<Thoroughness>(query.number(5)),
                       *verdict});
  }
  return entries;
}

Verdict JournaledEvaluator::evaluate(const Variant &variant, Thoroughness thoroughness) {
  if (auto known = journal_.find(run_, variant, thoroughness)) return *known;
  Verdict verdict = evaluator_.evaluate(variant, thoroughness);
  if (auto written = journal_.record(run_, variant, thoroughness, verdict, date_); !written && !trouble_)
    trouble_ = written.error();
  return verdict;
}

} // namespace kopt
