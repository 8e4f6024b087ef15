// Statement: one SQL statement of the journal, with its arguments bound in order.
#pragma once

#include "core/error.h"

#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace kopt {

class Statement {
public:
  Statement(sqlite3 *database, const char *sql);
  ~Statement();
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  Statement &bind(const std::string &text);
  Statement &bind(long number);
  Statement &bind(double number);

  // Steps to the next row; false at the end.
  Result<bool> next();
  // Runs a statement that gives no rows.
  Result<void> run();
  [[nodiscard]] long number(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  // What a user can do about this failure of SQLite. What is already recorded is safe in each case.
  [[nodiscard]] static std::string remedy(int code);

private:
  [[nodiscard]] Error trouble(const std::string &what) const;

  sqlite3 *database_;
  sqlite3_stmt *statement_ = nullptr;
  int bound_ = 0;
};

} // namespace kopt
