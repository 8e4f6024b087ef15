// Error: the one way a part of KernelOpt reports failure. Errors are values; nothing below main() exits or throws across a
// part's border.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace kopt {

// What happened, where, and what the user can do about it. `where` is `file:line`, a kernel, a target, or empty.
struct Error {
  std::string what;
  std::string where;
  std::string remedy;

  // "where: what; remedy", leaving out what is empty.
  [[nodiscard]] std::string message() const;
};

template <typename T> using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(std::string what, std::string where = {}, std::string remedy = {}) {
  return tl::make_unexpected(Error{std::move(what), std::move(where), std::move(remedy)});
}

} // namespace kopt

// Returns the error of a failed expression from the enclosing function, else declares `name` with its value.
#define KOPT_TRY(name, expression)                                                                                             \
  auto name##_or_error = (expression);                                                                                         \
  if (!name##_or_error) return tl::make_unexpected(std::move(name##_or_error).error());                                        \
  auto name = std::move(*name##_or_error)

// The same for a Result<void>.
#define KOPT_CHECK(expression)                                                                                                 \
  if (auto kopt_checked = (expression); !kopt_checked) return tl::make_unexpected(std::move(kopt_checked).error())
