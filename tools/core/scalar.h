// Scalar: a number as bytes in memory, little-endian, of an Element's size and category: between JSON documents, expressions
// and buffers.
#pragma once

#include "core/expression.h"
#include "core/json.h"
#include "core/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

using Bytes = std::vector<std::uint8_t>;

// One number of this element from JSON: a number, a boolean, or a string ("inf", "nan", hex float, hex integer). An Error if it
// does not fit.
[[nodiscard]] Result<Bytes> scalar_from_json(const Json &json, const Element &element);

// Bytes of a value, which must fit.
[[nodiscard]] Result<Bytes> scalar_from_integer(std::int64_t value, const Element &element);
[[nodiscard]] Bytes scalar_from_real(double value, int size);

// The number that bytes hold; nothing for structs, and for what neither a signed 64-bit integer nor a double can hold.
[[nodiscard]] std::optional<Value> scalar_value(const std::uint8_t *bytes, const Element &element);

// "00ff" as bytes.
[[nodiscard]] Result<Bytes> bytes_from_hex(const std::string &hex);

} // namespace kopt
