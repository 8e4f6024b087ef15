// Terms: loops, references to array elements, and values made of them, in the text of a random kernel.
#pragma once

#include "nests.h"

#include <optional>

namespace kopt::fuzz {

struct Loop {
  int axis = 0;
  std::string variable, head;
  bool is_inner = false; // runs from 1 to the size less 1, so that neighbours may be read
};
using Loops = std::vector<Loop>;

class Terms {
public:
  Terms(Setting &setting, Dice &dice) : setting_(setting), dice_(dice) {}

  // A loop along the axis; its bounds may use those around it.
  Loop loop(int axis, const Loops &around, bool inner, bool plain = false);
  // The element of the array where the loops stand; neighbours and other places where `roams`.
  std::string element(const Array &array, const Loops &around, bool roams);
  // A value of the element's type, which does not grow when it is computed from itself again and again.
  std::string value(const Loops &around, const std::string &also = "");
  // One factor of a product.
  std::string operand(const Array &array, const Loops &around);
  // A condition on loop variables or contents.
  std::string condition(const Loops &around);
  // An array that may be read, of those with no other axes than the given ones if there is one.
  const Array &readable(const std::vector<int> &axes);
  // A position taken from an index array along one of the loops, and the axis it is a position of.
  std::optional<std::pair<std::string, int>> position(const Loops &around);

  [[nodiscard]] const std::string &size(int axis) const { return setting_.sizes[static_cast<std::size_t>(axis)]; }

private:
  std::string subscript(const Array &array, const std::vector<std::string> &places) const;
  std::string place(int axis, const Loops &around, bool roams);
  std::string place_in_row(int axis, const Loops &around, bool roams);
  std::string bounded(const std::string &text) const;
  std::string triangle(const Loop &loop, const Loops &around);

  Setting &setting_;
  Dice &dice_;
};

} // namespace kopt::fuzz
