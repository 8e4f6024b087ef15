#include "core/scalar.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace kopt {
namespace {

template <typename T> Bytes bytes_of(T value, int size) {
  Bytes bytes(static_cast<std::size_t>(size));
  std::memcpy(bytes.data(), &value, std::min(sizeof value, bytes.size()));
  return bytes;
}

Bytes wide_real(long double value) {
  Bytes bytes(16);
  constexpr std::size_t used =
      std::numeric_limits<long double>::digits == 64 ? 10 : 16; // the x87 format leaves six bytes of padding
  std::memcpy(bytes.data(), &value, used);
  return bytes;
}

template <typename T> T value_of(const std::uint8_t *bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

tl::unexpected<Error> does_not_fit(const std::string &text, const Element &element) {
  return fail(fmt::format("{} does not fit {}", text, element.type), {},
              fmt::format("give a value of {} bytes, or {{\"bytes\": \"hex\"}}", element.size));
}

// Whether an integer of this size can hold the value; enums may be of either sign.
bool fits(std::int64_t value, const Element &element) {
  if (element.category == "bool") return value == 0 || value == 1;
  if (element.size >= 8) return element.is_signed || value >= 0 || element.category == "enum";
  auto limit = std::int64_t{1} << (8 * element.size);
  bool as_signed = value >= -limit / 2 && value < limit / 2, as_unsigned = value >= 0 && value < limit;
  return element.category == "enum" ? as_signed || as_unsigned : element.is_signed ? as_signed : as_unsigned;
}

Result<Bytes> real_from(const Json &json, const Element &element) {
  if (element.size != 4 && element.size != 8 && element.size != 16) return does_not_fit(json.dump(), element);
  if (json.is_number()) return scalar_from_real(json.get<double>(), element.size);
  if (json.is_boolean()) return scalar_from_real(json.get<bool>() ? 1 : 0, element.size);
  auto text = json.get<std::string>();
  char *end = nullptr;
  long double value = std::strtold(text.c_str(), &end); // a captured long double needs all its bits
  if (text.empty() || *end != '\0')
    return fail(fmt::format("\"{}\" is not a number", text), {}, "write a number, \"inf\", \"nan\" or a hex float");
  if (element.size == 16) return wide_real(value);
  return scalar_from_real(element.size == 4 ? std::strtof(text.c_str(), nullptr) : std::strtod(text.c_str(), nullptr),
                          element.size);
}

Result<Bytes> integer_from(const Json &json, const Element &element) {
  if (json.is_boolean()) return scalar_from_integer(json.get<bool>() ? 1 : 0, element);
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    if (element.size < 8 || element.is_signed) return does_not_fit(json.dump(), element);
    return bytes_of(json.get<std::uint64_t>(), element.size);
  }
  if (json.is_number_integer()) return scalar_from_integer(json.get<std::int64_t>(), element);
  if (json.is_number()) {
    auto real = json.get<double>();
    if (real != std::floor(real) || std::fabs(real) > 9e15) return does_not_fit(json.dump(), element);
    return scalar_from_integer(static_cast<std::int64_t>(real), element);
  }
  auto text = json.get<std::string>();
  char *end = nullptr;
  errno = 0;
  auto value = text.starts_with('-') ? static_cast<std::uint64_t>(std::strtoll(text.c_str(), &end, 0))
                                     : std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0' || errno != 0) return fail(fmt::format("\"{}\" is not an integer", text));
  if (!element.is_signed && element.size >= 8 && !text.starts_with('-')) return bytes_of(value, element.size);
  if (!text.starts_with('-') && static_cast<std::int64_t>(value) < 0) return does_not_fit(text, element);
  return scalar_from_integer(static_cast<std::int64_t>(value), element);
}

} // namespace

Result<Bytes> scalar_from_integer(std::int64_t value, const Element &element) {
  if (element.category == "float") return scalar_from_real(static_cast<double>(value), element.size);
  if (!fits(value, element)) return does_not_fit(std::to_string(value), element);
  auto bytes = bytes_of(value, element.size);
  for (std::size_t k = 8; k < bytes.size(); ++k) bytes[k] = value < 0 ? 0xff : 0;
  return bytes;
}

Bytes scalar_from_real(double value, int size) {
  if (size == 4) return bytes_of(static_cast<float>(value), size);
  return size == 16 ? wide_real(value) : bytes_of(value, size);
}

Result<Bytes> scalar_from_json(const Json &json, const Element &element) {
  if (!json.is_number() && !json.is_boolean() && !json.is_string())
    return fail(fmt::format("{} is not a number", json.dump()), {}, "see \"Cases\" in docs/formats.md");
  if (element.category == "float") return real_from(json, element);
  if (element.category == "integer" || element.category == "bool" || element.category == "enum")
    return integer_from(json, element);
  return fail(fmt::format("a value of type {} is not a number", element.type), {}, "give its bytes: {\"bytes\": \"hex\"}");
}

std::optional<Value> scalar_value(const std::uint8_t *bytes, const Element &element) {
  if (element.category == "float") {
    if (element.size == 4) return Value(static_cast<double>(value_of<float>(bytes)));
    if (element.size == 8) return Value(value_of<double>(bytes));
    return std::nullopt;
  }
  if (element.category != "integer" && element.category != "bool" && element.category != "enum") return std::nullopt;
  bool is_signed = element.is_signed && element.category != "bool";
  switch (element.size) {
  case 1:
    return Value(is_signed ? std::int64_t{value_of<std::int8_t>(bytes)} : std::int64_t{value_of<std::uint8_t>(bytes)});
  case 2:
    return Value(is_signed ? std::int64_t{value_of<std::int16_t>(bytes)} : std::int64_t{value_of<std::uint16_t>(bytes)});
  case 4:
    return Value(is_signed ? std::int64_t{value_of<std::int32_t>(bytes)} : std::int64_t{value_of<std::uint32_t>(bytes)});
  case 8: {
    auto value = value_of<std::int64_t>(bytes);
    if (!is_signed && value < 0) return std::nullopt;
    return Value(value);
  }
  default:
    return std::nullopt;
  }
}

Result<Bytes> bytes_from_hex(const std::string &hex) {
  Bytes bytes;
  auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  for (std::size_t k = 0; k + 1 < hex.size(); k += 2) {
    if (digit(hex[k]) < 0 || digit(hex[k + 1]) < 0) break;
    bytes.push_back(static_cast<std::uint8_t>(16 * digit(hex[k]) + digit(hex[k + 1])));
  }
  if (hex.size() != 2 * bytes.size()) return fail(fmt::format("\"{}\" is not an even number of hex digits", hex));
  return bytes;
}

} // namespace kopt
