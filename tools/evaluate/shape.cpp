#include "evaluate/shape.h"

#include "core/scalar.h"

#include <fmt/format.h>

namespace kopt {

View::View(const Image &image) {
  for (const Bytes &buffer : image.buffers) buffers.emplace_back(buffer);
  for (const Bytes &scalar : image.scalars) scalars.emplace_back(scalar);
}

std::string Region::spell(std::size_t byte) const {
  const std::size_t size_of_one = element.size > 0 ? static_cast<std::size_t>(element.size) : 1;
  if (scalar && size <= size_of_one) return name;
  if (byte < origin) return fmt::format("{}[-{}]", name, (origin - byte + size_of_one - 1) / size_of_one);
  return fmt::format("{}[{}]", name, (byte - origin) / size_of_one);
}

std::string Region::value_text(const Bytes &bytes, std::size_t byte) const {
  const std::size_t size_of_one = element.size > 0 ? static_cast<std::size_t>(element.size) : 1;
  const std::size_t first = byte < origin ? byte : origin + (byte - origin) / size_of_one * size_of_one;
  if (byte >= origin && first + size_of_one <= bytes.size())
    if (const auto value = scalar_value(bytes.data() + first, element))
      return std::visit([](auto number) { return fmt::format("{}", number); }, *value);
  return fmt::format("byte {:#04x}", bytes[byte]);
}

double Shape::traffic_bytes() const {
  double total = 0;
  for (const Region &region : buffers) {
    if (region.read) total += static_cast<double>(region.size);
    if (region.written) total += static_cast<double>(region.size);
  }
  return total;
}

namespace {

bool same_element(const Element &a, const Element &b) { return a.category == b.category && a.size == b.size; }

// A leaf that points into a region seen before: keep the element type only where both agree, else compare plain bytes.
void merge_leaf(Region &region, const Leaf &leaf, long offset) {
  if (region.name.empty()) {
    region.name = leaf.path;
    region.element = leaf.element;
    const long size = leaf.element.size > 0 ? leaf.element.size : 1;
    region.origin = static_cast<std::size_t>(offset % size);
  } else if (!same_element(region.element, leaf.element)) {
    region.element = Element{"unsigned char", "integer", 1, false, {}};
    region.origin = 0;
  }
  region.written = region.written || leaf.may_be_written();
  region.read = region.read || leaf.may_be_read();
}

Region scalar_region(const Leaf &leaf, const Argument &argument) {
  Region region;
  region.name = leaf.path;
  region.element = leaf.element;
  region.scalar = true;
  region.absent = leaf.origin == "global" && argument.bytes.empty();
  region.written = leaf.may_be_written();
  region.read = leaf.may_be_read() && !region.absent;
  if (!region.absent || region.written)
    region.size = static_cast<std::size_t>(leaf.element.size) * static_cast<std::size_t>(leaf.count);
  return region;
}

} // namespace

Shape shape_of(const Model &model, const Case &kase) {
  Shape shape;
  shape.buffers.resize(kase.buffers.size());
  shape.scalars.resize(model.leaves.size());
  for (std::size_t k = 0; k < kase.buffers.size(); ++k) shape.buffers[k].size = kase.buffers[k].before.size();
  for (std::size_t k = 0; k < model.leaves.size(); ++k) {
    const Leaf &leaf = model.leaves[k];
    const Argument argument = k < kase.arguments.size() ? kase.arguments[k] : Argument{};
    if (!leaf.is_pointer()) {
      shape.scalars[k] = scalar_region(leaf, argument);
    } else if (argument.buffer) {
      merge_leaf(shape.buffers[static_cast<std::size_t>(*argument.buffer)], leaf, argument.offset);
    }
  }
  return shape;
}

Image image_of(const Model &model, const Case &kase) {
  const Shape shape = shape_of(model, kase);
  Image image;
  for (const Buffer &buffer : kase.buffers) image.buffers.push_back(buffer.before);
  for (std::size_t k = 0; k < shape.scalars.size(); ++k) {
    Bytes bytes = k < kase.arguments.size() ? kase.arguments[k].bytes : Bytes{};
    bytes.resize(shape.scalars[k].size);
    image.scalars.push_back(std::move(bytes));
  }
  return image;
}

} // namespace kopt
