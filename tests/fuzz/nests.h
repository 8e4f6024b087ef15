// Nests: the loops of a random kernel. A *setting* is what all of a kernel's loops share: types, names of sizes, arrays.
#pragma once

#include "dice.h"
#include "sample.h"

namespace kopt::fuzz {

struct Setting {
  std::string element = "double";
  std::string integer = "int";    // of loop variables and sizes
  std::vector<std::string> sizes; // of the three axes: "n", "m", "p", or "g.n" ..., some of them equal
  std::string factor;             // a scalar of the element's type: "a", "g.a"
  std::vector<Array> arrays;
  bool uses_helper = false;
  bool has_theme = false; // arrays that go together: those of a matrix product, or of sums over rows and columns

  [[nodiscard]] bool is_signed() const { return integer == "int" || integer == "long"; }
  [[nodiscard]] bool is_floating() const { return element == "double" || element == "float"; }
};

// Where the text declares a pointer to elements: "\1const double\2row"; the kernel and its tracer spell it differently.
constexpr char pointer_open = '\1', pointer_close = '\2';

struct Nests {
  std::string text;
  bool returns_value = false;
};

// One to three nests over the setting's arrays.
[[nodiscard]] Nests make_nests(Setting &setting, Dice &dice);

} // namespace kopt::fuzz
