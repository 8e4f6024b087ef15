#include "evaluate/contents.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

namespace kopt {

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

std::size_t Random::below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(next() % bound); }

namespace {

// Applies `change` to `count` floats of type T that lie `stride` bytes apart.
template <typename T, typename Change>
void change_floats(std::uint8_t *first, std::size_t count, std::size_t stride, const Change &change) {
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, first + i * stride, sizeof value);
    if (!std::isfinite(value) || value == 0) continue;
    value = static_cast<T>(change(value));
    std::memcpy(first + i * stride, &value, sizeof value);
  }
}

template <typename Change>
void change_of_size(int size, std::uint8_t *first, std::size_t count, std::size_t stride, const Change &change) {
  if (size == 4) change_floats<float>(first, count, stride, change);
  if (size == 8) change_floats<double>(first, count, stride, change);
  if (size == 16) change_floats<long double>(first, count, stride, change);
}

template <typename Change> void change_region(const Region &region, Bytes &bytes, const Change &change) {
  const auto size = static_cast<std::size_t>(region.element.size);
  if (size == 0 || bytes.size() < region.origin + size) return;
  const std::size_t count = (bytes.size() - region.origin) / size;
  std::uint8_t *first = bytes.data() + region.origin;
  if (region.is_float()) change_of_size(region.element.size, first, count, size, change);
  for (const Field &field : region.element.fields) {
    if (field.category != "float") continue;
    for (int k = 0; k < field.count; ++k)
      change_of_size(field.size, first + field.offset + std::ptrdiff_t{k} * field.size, count, size, change);
  }
}

template <typename Change> Image changed(const Shape &shape, Image image, const Change &change) {
  for (std::size_t k = 0; k < shape.buffers.size(); ++k)
    if (shape.buffers[k].read) change_region(shape.buffers[k], image.buffers[k], change);
  for (std::size_t k = 0; k < shape.scalars.size(); ++k)
    if (shape.scalars[k].read && shape.scalars[k].size > 0) change_region(shape.scalars[k], image.scalars[k], change);
  return image;
}

} // namespace

Image perturbed(const Shape &shape, const Image &image, double amplitude, std::uint64_t seed) {
  Random random(seed);
  return changed(shape, image,
                 [&](auto value) { return value * static_cast<decltype(value)>(1 + amplitude * (2 * random.uniform() - 1)); });
}

Image nudged(const Shape &shape, const Image &image, std::uint64_t seed) {
  Random random(seed);
  return changed(shape, image, [&](auto value) {
    using T = decltype(value);
    const T infinity = std::numeric_limits<T>::infinity();
    const T next = std::nextafter(value, random.next() % 2 == 0 ? infinity : -infinity);
    return std::isfinite(next) ? next : value;
  });
}

} // namespace kopt
