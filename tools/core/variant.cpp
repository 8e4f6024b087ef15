#include "core/variant.h"

#include "core/hash.h"

namespace kopt {

std::string Variant::hash() const {
  std::string whole = text + '\0' + plan + '\0';
  for (const auto &[name, value] : parameters) whole += name + '=' + value + '\0';
  return hash_of(whole);
}

} // namespace kopt
