// Compression: contents of captures as they lie in the capture store: Zstandard frames, bit-exact.
#pragma once

#include "core/error.h"

#include <string>
#include <string_view>

namespace kopt {

// What names of compressed files end with.
inline constexpr std::string_view compressed_extension = ".zst";

[[nodiscard]] Result<std::string> compressed(std::string_view bytes);

// An Error where `frame` is damaged or does not hold exactly `size` bytes.
[[nodiscard]] Result<std::string> expanded(std::string_view frame, std::size_t size);

} // namespace kopt
