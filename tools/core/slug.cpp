#include "core/slug.h"

#include <algorithm>
#include <cctype>

namespace kopt {

std::string slug_of(std::string_view kernel) {
  std::string slug;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const char c = kernel[i];
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      slug += c;
    } else if (kernel.substr(i, 2) == "::") {
      slug += '.';
      ++i;
    } else if (slug.empty() || slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

std::string identifier_of(std::string_view slug) {
  std::string identifier(slug);
  std::replace_if(
      identifier.begin(), identifier.end(), [](char c) { return c == '.' || c == '-'; }, '_');
  return identifier;
}

} // namespace kopt
