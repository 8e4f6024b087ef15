#include "core/error.h"

namespace kopt {

std::string Error::message() const {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!remedy.empty()) text += "; " + remedy;
  return text;
}

} // namespace kopt
