#include "search/journal.h"

#include "search/statement.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

namespace kopt {

namespace {

// Version 1 wrote an evaluation only when its verdict was known, and marked runs as finished, in a column that is left alone.
constexpr const char *schema = R"(
CREATE TABLE runs (id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, key TEXT NOT NULL, started TEXT NOT NULL);
CREATE TABLE evaluations (
  run INTEGER NOT NULL REFERENCES runs(id), variant TEXT NOT NULL, thoroughness INTEGER NOT NULL, kind TEXT NOT NULL, verdict TEXT NOT NULL,
  proposer TEXT NOT NULL, patterns TEXT NOT NULL, text TEXT NOT NULL, plan TEXT NOT NULL, parameters TEXT NOT NULL, date TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'done', seconds REAL NOT NULL DEFAULT 0, PRIMARY KEY (run, variant, thoroughness));
)";

constexpr const char *from_version_1 = R"(
ALTER TABLE evaluations ADD COLUMN state TEXT NOT NULL DEFAULT 'done';
ALTER TABLE evaluations ADD COLUMN seconds REAL NOT NULL DEFAULT 0;
)";

// An evaluation that has no verdict yet; nothing changes where there is one.
constexpr const char *insert_planned =
    "INSERT INTO evaluations (run, variant, thoroughness, kind, verdict, proposer, patterns, text, plan, parameters, date, "
    "state) "
    "VALUES (?, ?, ?, '', '', ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state, date = excluded.date "
    "WHERE state <> 'done' AND excluded.state = 'running'";

// Whether files beside `path` can be locked, as SQLite wants to. Asked of another file: closing one gives all its locks back.
bool has_locks(const fs::path &path) {
  const std::string name = path.string() + ".can-lock";
  const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return true; // nothing can be written here: what follows says so better
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool locked = ::fcntl(file, F_SETLK, &lock) == 0 || errno == EACCES || errno == EAGAIN;
  ::close(file);
  ::unlink(name.c_str());
  return locked;
}

bool is_broken(int code) { return code == SQLITE_NOTADB || code == SQLITE_CORRUPT; }

// Rolls back what was begun, unless it was committed.
class Transaction {
public:
  explicit Transaction(sqlite3 *database) : database_(database) {
    sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  }
  ~Transaction() {
    if (!committed_) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction &) = delete;
  Transaction &operator=(const Transaction &) = delete;
  Result<void> commit() {
    KOPT_CHECK(Statement(database_, "COMMIT").run());
    committed_ = true;
    return {};
  }

private:
  sqlite3 *database_;
  bool committed_ = false;
};

Result<void> insert(sqlite3 *database, long run, const Variant &variant, Thoroughness thoroughness, const char *state,
                    const std::string &date) {
  return Statement(database, insert_planned)
      .bind(run)
      .bind(variant.hash())
      .bind(static_cast<long>(thoroughness))
      .bind(variant.proposer)
      .bind(Json(variant.patterns).dump())
      .bind(variant.text)
      .bind(variant.plan)
      .bind(Json(variant.parameters).dump())
      .bind(date)
      .bind(std::string(state))
      .run();
}

} // namespace

void Journal::Close::operator()(sqlite3 *database) const { sqlite3_close_v2(database); }

Result<void> Journal::execute(const std::string &sql, const fs::path &path) {
  char *message = nullptr;
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return {};
  const std::string what = message == nullptr ? sqlite3_errmsg(database_.get()) : message;
  sqlite3_free(message);
  return fail("cannot use the journal: " + what, path.string(), Statement::remedy(sqlite3_errcode(database_.get())));
}

// Each write reaches the disk before the next step: an evaluation costs seconds, so waiting for the disk costs nothing.
Result<void> Journal::prepare(const fs::path &path, bool locks) {
  sqlite3_busy_timeout(database_.get(), 10000);
  KOPT_CHECK(execute(locks ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = TRUNCATE", path));
  KOPT_CHECK(execute("PRAGMA synchronous = FULL", path));
  long found = 0;
  {
    Statement query(database_.get(), "PRAGMA user_version");
    KOPT_TRY(row, query.next());
    if (row) found = query.number(0);
  }
  if (found > version)
    return fail(fmt::format("journal version {} is newer than the version {} this kopt reads", found, version), path.string(),
                "use the KernelOpt that wrote it, or move the file away to start anew");
  if (found == version) return {};
  return execute(
      fmt::format("BEGIN IMMEDIATE; {} PRAGMA user_version = {}; COMMIT;", found == 1 ? from_version_1 : schema, version),
      path);
}

// `broken`: what stands there can be read by no version of kopt.
Result<Journal> Journal::attempt(const fs::path &path, bool &broken) {
  std::error_code code;
  fs::create_directories(path.parent_path(), code);
  const bool locks = has_locks(path);
  sqlite3 *database = nullptr;
  const int status =
      sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, locks ? nullptr : "unix-none");
  Journal journal(database);
  if (status != SQLITE_OK)
    return fail(fmt::format("cannot open the journal: {}", sqlite3_errmsg(database)), path.string(),
                "check the permissions of the build folder");
  if (auto prepared = journal.prepare(path, locks); !prepared) {
    broken = is_broken(sqlite3_errcode(database));
    return tl::make_unexpected(prepared.error());
  }
  if (!locks)
    journal.notes_.push_back(fmt::format("{}: its file system has no locks: run one kopt at a time here", path.string()));
  return journal;
}

Result<Journal> Journal::open(const fs::path &path) {
  bool broken = false;
  return attempt(path, broken);
}

Result<Journal> Journal::open_or_replace(const fs::path &path) {
  bool broken = false;
  std::string why;
  {
    auto journal = attempt(path, broken);
    if (!journal && !broken) return journal;
    if (!journal) {
      why = journal.error().what;
    } else {
      Statement check(journal->database_.get(), "PRAGMA quick_check(1)");
      const auto row = check.next();
      why = !row ? row.error().what : *row ? check.text(0) : "ok";
      if (why == "ok") return journal;
    }
  }
  const fs::path aside = path.string() + ".broken";
  std::error_code code;
  for (const char *suffix : {"", "-wal", "-shm"}) {
    fs::rename(path.string() + suffix, aside.string() + suffix, code);
    if (code && *suffix == '\0')
      return fail("a broken journal cannot be moved away: " + code.message(), path.string(), "move it away yourself");
  }
  auto fresh = open(path);
  if (fresh)
    fresh->notes_.push_back(fmt::format("{}: the journal was broken ({}); it is now {}, and a new one begins", path.string(),
                                        why, aside.filename().string()));
  return fresh;
}

Result<Run> Journal::start_run(const std::string &kernel, const std::string &key, const std::string &date, bool anew) {
  Statement known(database_.get(), "SELECT id, started FROM runs WHERE kernel = ? AND key = ? ORDER BY id DESC LIMIT 1");
  KOPT_TRY(found, known.bind(kernel).bind(key).next());
  if (found && !anew) return Run{known.number(0), known.text(1)};
  Statement insert(database_.get(), "INSERT INTO runs (kernel, key, started) VALUES (?, ?, ?)");
  KOPT_CHECK(insert.bind(kernel).bind(key).bind(date).run());
  return Run{static_cast<long>(sqlite3_last_insert_rowid(database_.get())), date};
}

Result<void> Journal::plan(long run, const std::vector<Variant> &variants, const std::string &date) {
  Transaction transaction(database_.get());
  for (const Variant &variant : variants)
    KOPT_CHECK(insert(database_.get(), run, variant, Thoroughness::Quick, "planned", date));
  return transaction.commit();
}

Result<void> Journal::begin(long run, const Variant &variant, Thoroughness thoroughness, const std::string &date) {
  return insert(database_.get(), run, variant, thoroughness, "running", date);
}

Result<void> Journal::record(long run, const Variant &variant, Thoroughness thoroughness, const Verdict &verdict,
                             double seconds, const std::string &date) {
  Transaction transaction(database_.get());
  KOPT_CHECK(begin(run, variant, thoroughness, date));
  KOPT_CHECK(Statement(database_.get(), "UPDATE evaluations SET kind = ?, verdict = ?, seconds = ?, date = ?, state = 'done' "
                                        "WHERE run = ? AND variant = ? AND thoroughness = ? AND state <> 'done'")
                 .bind(to_string(verdict.kind))
                 .bind(Json(verdict).dump(-1, ' ', false, Json::error_handler_t::replace))
                 .bind(seconds)
                 .bind(date)
                 .bind(run)
                 .bind(variant.hash())
                 .bind(static_cast<long>(thoroughness))
                 .run());
  return transaction.commit();
}

Result<std::optional<Verdict>> Journal::find(long run, const Variant &variant, Thoroughness thoroughness) const {
  Statement query(database_.get(),
                  "SELECT verdict FROM evaluations WHERE run = ? AND variant = ? AND thoroughness = ? AND state = 'done'");
  KOPT_TRY(found, query.bind(run).bind(variant.hash()).bind(static_cast<long>(thoroughness)).next());
  if (!found) return std::nullopt;
  KOPT_TRY(json, parse_json(query.text(0), "journal"));
  KOPT_TRY(verdict, decode<Verdict>(json, "journal"));
  return std::optional<Verdict>(std::move(verdict));
}

long Journal::evaluations(long run) const {
  Statement query(database_.get(), "SELECT count(*) FROM evaluations WHERE run = ? AND state = 'done'");
  return query.bind(run).next().value_or(false) ? query.number(0) : 0;
}

double Journal::seconds(long run) const {
  Statement query(database_.get(), "SELECT total(seconds) FROM evaluations WHERE run = ? AND state = 'done'");
  return query.bind(run).next().value_or(false) ? query.real(0) : 0;
}

std::vector<JournalEntry> Journal::entries(const std::string &condition) const {
  Statement query(
      database_.get(),
      ("SELECT r.kernel, r.started, e.variant, e.patterns, e.parameters, e.thoroughness, e.verdict FROM evaluations e "
       "JOIN runs r ON r.id = e.run WHERE e.state = 'done' AND " +
       condition + " ORDER BY r.id, e.rowid")
          .c_str());
  std::vector<JournalEntry> entries;
  while (query.next().value_or(false)) {
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

std::vector<JournalEntry> Journal::latest() const { return entries("r.id IN (SELECT max(id) FROM runs GROUP BY kernel)"); }

std::vector<JournalEntry> Journal::all() const { return entries("true"); }

} // namespace kopt
