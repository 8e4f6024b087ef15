// Hash: XXH3-128 of bytes, as 32 lower-case hex digits: identity of texts and files, not a defence against forgery.
#pragma once

#include <string>
#include <string_view>

namespace kopt {

[[nodiscard]] std::string hash_of(std::string_view bytes);

} // namespace kopt
