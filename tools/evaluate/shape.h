// Shape: what the memory of one case holds, seen from outside the kernel: which buffers there are, what their elements are, who
// may write them. Image: bytes of that memory at one moment. View: the same, borrowed.
#pragma once

#include "core/case.h"
#include "core/model.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kopt {

using Bytes = std::vector<std::uint8_t>;

struct Image {
  std::vector<Bytes> buffers; // by buffer of the case
  std::vector<Bytes> scalars; // by leaf; empty for pointers
};

struct View {
  std::vector<std::span<const std::uint8_t>> buffers, scalars;

  View() = default;
  explicit View(const Image &image);
};

// One region of bytes that leaves refer to: a buffer, or the value of a scalar leaf.
struct Region {
  std::string name; // path of the first leaf that points into it
  Element element;
  std::size_t size = 0;
  std::size_t origin = 0; // offset of the first whole element
  bool written = false;   // the kernel may write it
  bool read = false;      // the kernel may read it before writing it
  bool scalar = false;
  bool absent =
      false; // a global that the case gives no value: the kernel sees its initial one, and what it leaves is an output

  [[nodiscard]] bool write_only() const { return written && !read; }
  [[nodiscard]] bool is_float() const { return element.category == "float"; }
  // "u[12]", or the name alone for a scalar.
  [[nodiscard]] std::string spell(std::size_t byte) const;
  // The element that `byte` belongs to, as a number where it is one, else that byte in hexadecimal.
  [[nodiscard]] std::string value_text(const Bytes &bytes, std::size_t byte) const;
};

struct Shape {
  std::vector<Region> buffers; // by buffer of the case
  std::vector<Region> scalars; // by leaf; size zero for pointers

  // Bytes of everything that the kernel may read and may write, each once.
  [[nodiscard]] double traffic_bytes() const;
};

[[nodiscard]] Shape shape_of(const Model &model, const Case &kase);

// The contents that the case itself gives.
[[nodiscard]] Image image_of(const Model &model, const Case &kase);

} // namespace kopt
