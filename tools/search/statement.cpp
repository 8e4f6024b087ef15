#include "search/statement.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace kopt {

std::string Statement::remedy(int code) {
  switch (code & 0xff) {
  case SQLITE_FULL:
    return "free some space on its file system and run the same command again; nothing already recorded is lost";
  case SQLITE_READONLY:
  case SQLITE_PERM:
  case SQLITE_CANTOPEN:
    return "check the permissions of the build folder and run the same command again; nothing already recorded is lost";
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return "another program holds it: end that one and run the same command again";
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    return "the file is no journal, or broken: move it away; only the history of tuning is in it";
  default:
    return "see that its file system has space and works, and run the same command again; nothing already recorded is lost";
  }
}

Statement::Statement(sqlite3 *database, const char *sql) : database_(database) {
  if (sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) != SQLITE_OK) statement_ = nullptr;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement &Statement::bind(const std::string &text) {
  sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  return *this;
}

Statement &Statement::bind(long number) {
  sqlite3_bind_int64(statement_, ++bound_, number);
  return *this;
}

Statement &Statement::bind(double number) {
  sqlite3_bind_double(statement_, ++bound_, number);
  return *this;
}

Error Statement::trouble(const std::string &what) const {
  const char *file = sqlite3_db_filename(database_, "main");
  return {fmt::format("cannot {} the journal: {}", what, sqlite3_errmsg(database_)), file == nullptr ? "" : file,
          remedy(sqlite3_errcode(database_))};
}

Result<bool> Statement::next() {
  const int status = statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return tl::make_unexpected(trouble("read"));
}

Result<void> Statement::run() {
  if (statement_ != nullptr && sqlite3_step(statement_) == SQLITE_DONE) return {};
  return tl::make_unexpected(trouble("write to"));
}

long Statement::number(int column) const { return static_cast<long>(sqlite3_column_int64(statement_, column)); }

double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Statement::text(int column) const {
  const auto *bytes = reinterpret_cast<const char *>(sqlite3_column_text(statement_, column));
  return bytes == nullptr ? std::string()
                          : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

} // namespace kopt
