#include "evaluate/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace kopt {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Numbers of one type that lie `stride` bytes apart in a region: its elements, or one member of its struct elements.
struct Column {
  std::string category;
  int size = 0;
  std::size_t first = 0, stride = 0, count = 0;

  [[nodiscard]] bool is_float() const { return category == "float" && (size == 4 || size == 8 || size == 16); }
};

std::vector<Column> columns_of(const Region &region) {
  const auto size = static_cast<std::size_t>(std::max(region.element.size, 1));
  const std::size_t count = region.size > region.origin ? (region.size - region.origin) / size : 0;
  if (region.element.fields.empty()) return {{region.element.category, region.element.size, region.origin, size, count}};
  std::vector<Column> columns;
  for (const Field &field : region.element.fields)
    for (int k = 0; k < field.count; ++k)
      columns.push_back(
          {field.category, field.size, region.origin + static_cast<std::size_t>(field.offset + k * field.size), size, count});
  return columns;
}

template <typename T> T value_at(const std::uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Root of the mean square of the finite values, without overflow.
template <typename T> double rms_of(const Column &column, const std::uint8_t *bytes) {
  double largest = 0, sum = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < column.count; ++i)
    if (const T value = value_at<T>(bytes + i * column.stride); std::isfinite(value))
      largest = std::max(largest, static_cast<double>(std::fabs(value)));
  if (largest == 0) return 0;
  for (std::size_t i = 0; i < column.count; ++i) {
    const T value = value_at<T>(bytes + i * column.stride);
    if (!std::isfinite(value)) continue;
    const double scaled = static_cast<double>(value) / largest;
    sum += scaled * scaled;
    ++finite;
  }
  return largest * std::sqrt(sum / static_cast<double>(finite));
}

template <typename T> double error_of(T expected, T got, double rms, double absolute) {
  if (expected == got) return 0;
  if (std::isnan(expected) && std::isnan(got)) return 0;
  if (!std::isfinite(expected) || !std::isfinite(got)) return infinite;
  const double difference = std::fabs(static_cast<double>(got - expected));
  if (difference <= absolute) return 0;
  const double scale = std::max(static_cast<double>(std::fabs(expected)), rms);
  return scale > 0 ? difference / scale : infinite;
}

struct Worst {
  double error = 0;
  std::size_t byte = 0;
  std::string expected, got;
};

bool is_untouched(const Mask &mask, std::size_t byte) { return !mask.empty() && mask[byte] != 0; }

template <typename T>
Worst worst_of(const Column &column, const std::uint8_t *expected, const std::uint8_t *got, const Mask &untouched,
               double absolute) {
  const double rms = rms_of<T>(column, expected + column.first);
  Worst worst;
  for (std::size_t i = 0; i < column.count; ++i) {
    const std::size_t byte = column.first + i * column.stride;
    if (is_untouched(untouched, byte)) continue;
    const T b = value_at<T>(expected + byte), c = value_at<T>(got + byte);
    const double error = error_of(b, c, rms, absolute);
    if (error > worst.error || (error == infinite && worst.error < infinite))
      worst = {error, byte, fmt::format("{}", b), fmt::format("{}", c)};
  }
  return worst;
}

Worst worst_in(const Column &column, const std::uint8_t *expected, const std::uint8_t *got, const Mask &untouched,
               double absolute) {
  if (column.size == 4) return worst_of<float>(column, expected, got, untouched, absolute);
  if (column.size == 8) return worst_of<double>(column, expected, got, untouched, absolute);
  return worst_of<long double>(column, expected, got, untouched, absolute);
}

std::string spell_exact(const Column &column, const std::uint8_t *bytes) {
  if (column.category == "bool" || column.category == "integer" || column.category == "enum") {
    if (column.size == 1) return std::to_string(value_at<std::int8_t>(bytes));
    if (column.size == 2) return std::to_string(value_at<std::int16_t>(bytes));
    if (column.size == 4) return std::to_string(value_at<std::int32_t>(bytes));
    if (column.size == 8) return std::to_string(value_at<std::int64_t>(bytes));
  }
  std::string hex = "0x";
  for (int k = 0; k < std::min(column.size, 16); ++k) hex += fmt::format("{:02x}", bytes[k]);
  return hex;
}

std::optional<Worst> first_exact_difference(const Column &column, const std::uint8_t *expected, const std::uint8_t *got) {
  for (std::size_t i = 0; i < column.count; ++i) {
    const std::size_t byte = column.first + i * column.stride;
    if (std::memcmp(expected + byte, got + byte, static_cast<std::size_t>(column.size)) != 0)
      return Worst{infinite, byte, spell_exact(column, expected + byte), spell_exact(column, got + byte)};
  }
  return std::nullopt;
}

// One region of the memory: what it should hold, what it holds.
struct Checked {
  const Region &region;
  const std::uint8_t *before, *expected, *got;
  const Mask &untouched;
  double noise;
  std::optional<std::uint8_t> poison;
};

void disagree(Comparison &comparison, std::string reason, std::string evidence) {
  comparison.agrees = false;
  comparison.identical = false;
  comparison.reason = std::move(reason);
  comparison.evidence = std::move(evidence);
}

// Bytes that stay as they were before the call: what nobody writes, and what the baseline leaves alone.
bool check_untouched(const Checked &checked, Comparison &comparison) {
  const Region &region = checked.region;
  const bool poisoned = checked.poison && region.write_only();
  if (region.written && checked.untouched.empty()) return true;
  for (std::size_t byte = 0; byte < region.size; ++byte) {
    if (region.written && !is_untouched(checked.untouched, byte)) continue;
    const std::uint8_t was = poisoned ? *checked.poison : checked.before[byte];
    if (checked.got[byte] == was) continue;
    const std::string where = region.spell(byte);
    disagree(comparison,
             region.written ? fmt::format("writes {}, which the kernel leaves alone", where)
                            : "changes its input " + region.name,
             fmt::format("{}: byte {} was {:#04x}, is {:#04x}", where, byte, was, checked.got[byte]));
    return false;
  }
  return true;
}

void check_floats(const Checked &checked, const Column &column, const Tolerance &given, Comparison &comparison) {
  const Worst worst = worst_in(column, checked.expected, checked.got, checked.untouched, given.absolute);
  if (worst.error > 0) comparison.identical = false;
  if (worst.error < infinite) comparison.worst_error = std::max(comparison.worst_error, worst.error);
  const double limit = error_limit(column.size, given, checked.noise);
  if (worst.error <= limit || !comparison.agrees) return;
  const std::string where = checked.region.spell(worst.byte);
  disagree(comparison, "wrong result in " + checked.region.name,
           fmt::format("{}: expected {}, got {} (error {:.3g}, limit {:.3g})", where, worst.expected, worst.got, worst.error,
                       limit));
}

void check_exact(const Checked &checked, const Column &column, Comparison &comparison) {
  // Bytes that stay as they were have been checked; expect of them what is there.
  std::vector<std::uint8_t> merged;
  const std::uint8_t *expected = checked.expected;
  if (!checked.untouched.empty()) {
    merged.assign(expected, expected + checked.region.size);
    for (std::size_t byte = 0; byte < merged.size(); ++byte)
      if (checked.untouched[byte]) merged[byte] = checked.got[byte];
    expected = merged.data();
  }
  const auto found = first_exact_difference(column, expected, checked.got);
  if (!found || !comparison.agrees) return;
  disagree(comparison, "wrong result in " + checked.region.name,
           fmt::format("{}: expected {}, got {}", checked.region.spell(found->byte), found->expected, found->got));
}

void check(const Checked &checked, const Tolerance &given, Comparison &comparison) {
  if (!comparison.agrees || checked.region.size == 0) return;
  if (std::memcmp(checked.expected, checked.got, checked.region.size) == 0) {
    if (!checked.region.written || checked.untouched.empty() || !checked.region.write_only())
      return; // agrees, and nothing is poisoned
  }
  if (!check_untouched(checked, comparison) || !checked.region.written) return;
  for (const Column &column : columns_of(checked.region)) {
    if (column.is_float())
      check_floats(checked, column, given, comparison);
    else
      check_exact(checked, column, comparison);
  }
}

const Mask no_mask;

} // namespace

Comparison compare(const Expectation &expectation, const View &got, const Tolerance &given) {
  Comparison comparison;
  const auto check_all = [&](const auto &regions, const auto &before, const auto &expected, const auto &masks,
                             const auto &noise, const auto &view) {
    for (std::size_t k = 0; k < regions.size(); ++k)
      check({regions[k], before[k].data(), expected[k].data(), view[k].data(), k < masks.size() ? masks[k] : no_mask,
             k < noise.size() ? noise[k] : 0, expectation.poison},
            given, comparison);
  };
  const Shape &shape = *expectation.shape;
  check_all(shape.buffers, expectation.before->buffers, expectation.expected->buffers, expectation.untouched->buffers,
            expectation.noise->buffers, got.buffers);
  check_all(shape.scalars, expectation.before->scalars, expectation.expected->scalars, expectation.untouched->scalars,
            expectation.noise->scalars, got.scalars);
  return comparison;
}

double region_error(const Region &region, std::span<const std::uint8_t> expected, std::span<const std::uint8_t> got,
                    const Mask &untouched) {
  double error = 0;
  for (const Column &column : columns_of(region))
    if (column.is_float()) error = std::max(error, worst_in(column, expected.data(), got.data(), untouched, 0).error);
  return error;
}

} // namespace kopt
