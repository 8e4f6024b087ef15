#include "core/compression.h"

#include <fmt/format.h>
#include <zstd.h>

namespace kopt {

namespace {

constexpr int level = 3;

} // namespace

Result<std::string> compressed(std::string_view bytes) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size)) return fail(fmt::format("cannot be compressed: {}", ZSTD_getErrorName(size)));
  frame.resize(size);
  return frame;
}

Result<std::string> expanded(std::string_view frame, std::size_t size) {
  std::string bytes(size, '\0');
  const std::size_t found = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(found)) return fail(fmt::format("is damaged: {}", ZSTD_getErrorName(found)));
  if (found != size) return fail(fmt::format("holds {} bytes where {} are expected", found, size));
  return bytes;
}

} // namespace kopt
