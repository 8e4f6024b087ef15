#include "core/fill.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>

namespace kopt {
namespace {

// How numbers of one buffer come about, one after the other.
struct Filler {
  std::string fill;
  const Json &argument;
  Sequence sequence;
  std::int64_t index = 0; // of the element

  Result<Bytes> number(const Element &element) {
    if (fill == "index") return scalar_from_integer(index, element);
    if (fill == "constant") return scalar_from_json(argument.value("value", Json(0)), element);
    bool real = element.category == "float";
    auto low = argument.value("low", real ? -1.0 : 0.0), high = argument.value("high", real                         ? 1.0
                                                                                       : element.category == "bool" ? 2.0
                                                                                                                    : 8.0);
    if (!(low < high)) return fail(fmt::format("\"low\" {} is not below \"high\" {}", low, high));
    auto value = low + sequence.uniform() * (high - low);
    return real ? Result<Bytes>(scalar_from_real(value, element.size))
                : scalar_from_integer(static_cast<std::int64_t>(std::floor(value)), element);
  }
};

bool is_number(const std::string &category) {
  return category == "float" || category == "integer" || category == "bool" || category == "enum";
}

Element element_of(const Field &field) { return {field.path, field.category, field.size, true, {}}; }

// Writes one element; of a struct every field that is a number. Padding and the rest stay zero.
Result<void> write_element(const Element &element, Filler &filler, std::uint8_t *at) {
  if (element.category != "struct") {
    if (!is_number(element.category)) return {};
    KOPT_TRY(bytes, filler.number(element));
    std::memcpy(at, bytes.data(), bytes.size());
    return {};
  }
  for (const auto &field : element.fields)
    for (int k = 0; k < field.count && is_number(field.category); ++k) {
      KOPT_TRY(bytes, filler.number(element_of(field)));
      std::memcpy(at + field.offset + std::ptrdiff_t{k} * field.size, bytes.data(), bytes.size());
    }
  return {};
}

Result<Bytes> struct_from_json(const Element &element, const Json &json) {
  if (!json.is_object()) return fail(fmt::format("{} is not an object by field of {}", json.dump(), element.type));
  Bytes bytes(static_cast<std::size_t>(element.size));
  for (const auto &item : json.items()) {
    const Field *field = nullptr;
    for (const auto &candidate : element.fields)
      if (candidate.path == item.key()) field = &candidate;
    if (!field) return fail(fmt::format("{} has no field \"{}\"", element.type, item.key()));
    auto numbers = item.value().is_array() ? item.value() : Json::array({item.value()});
    if (static_cast<int>(numbers.size()) != field->count)
      return fail(fmt::format("field \"{}\" holds {} numbers", field->path, field->count));
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      KOPT_TRY(number, scalar_from_json(numbers[k], element_of(*field)));
      std::memcpy(bytes.data() + field->offset + static_cast<std::ptrdiff_t>(k) * field->size, number.data(), number.size());
    }
  }
  return bytes;
}

} // namespace

std::uint64_t Sequence::next() {
  auto z = state_ += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

Result<Bytes> fill_buffer(const Element &element, std::size_t extent, const Json &argument, std::uint64_t seed) {
  auto fill = argument.value("fill", "uniform");
  if (fill != "zero" && fill != "uniform" && fill != "index" && fill != "constant")
    return fail(fmt::format("unknown fill \"{}\"", fill), {}, "use zero, uniform, index or constant");
  auto size = static_cast<std::size_t>(element.size);
  Bytes bytes(extent * size);
  if (fill == "zero") return bytes;
  Filler filler{fill, argument, Sequence(argument.contains("seed") ? argument["seed"].get<std::uint64_t>() : seed)};
  for (std::size_t k = 0; k < extent; ++k) {
    filler.index = static_cast<std::int64_t>(k);
    KOPT_CHECK(write_element(element, filler, bytes.data() + k * size));
  }
  return bytes;
}

Result<Bytes> fill_values(const Element &element, const Json &values) {
  if (!values.is_array()) return fail("\"values\" is a list");
  Bytes bytes;
  for (const auto &value : values) {
    KOPT_TRY(one, element.category == "struct" ? struct_from_json(element, value) : scalar_from_json(value, element));
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

std::uint64_t fill_seed(const std::string &text) { // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3U;
  return hash;
}

Result<std::int64_t> evaluate_polynomial(const Polynomial &polynomial, const Expression::Lookup &lookup) {
  std::int64_t sum = 0;
  for (const auto &[symbols, coefficient] : polynomial.terms()) {
    std::int64_t product = coefficient;
    for (const auto &symbol : symbols) {
      auto value = lookup(symbol);
      if (!value || !std::holds_alternative<std::int64_t>(*value))
        return fail(fmt::format("'{}' has no integer value here", symbol));
      if (__builtin_mul_overflow(product, std::get<std::int64_t>(*value), &product))
        return fail(fmt::format("{} overflows", polynomial.text()));
    }
    if (__builtin_add_overflow(sum, product, &sum)) return fail(fmt::format("{} overflows", polynomial.text()));
  }
  return sum;
}

Result<Elements> evaluate_extent(const Extent &extent, const Expression::Lookup &lookup) {
  Elements elements;
  for (std::size_t k = 0; k < extent.first.size(); ++k) {
    KOPT_TRY(value, evaluate_polynomial(extent.first[k], lookup));
    elements.first = k == 0 ? value : std::min(elements.first, value);
  }
  for (std::size_t k = 0; k < extent.end.size(); ++k) {
    KOPT_TRY(value, evaluate_polynomial(extent.end[k], lookup));
    elements.end = k == 0 ? value : std::max(elements.end, value);
  }
  return elements;
}

} // namespace kopt
