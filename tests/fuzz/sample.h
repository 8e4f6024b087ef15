// Sample: a random kernel, with all that is needed to call it: its text, the arrays it takes, and how to spell a call. No
// extent stands here: the kernel's *tracer*, the same text over arrays that note what is touched, finds them when it is
// checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kopt::fuzz {

struct Array {
  enum class View { Row, Column, Rows, Reference }; // x[i * m + j], x[j * n + i], x[i][j] of `T (*x)[96]`, `T &x`
  std::string name;
  std::vector<int> axes; // 0: i, 1: j, 2: k
  View view = View::Row;
  bool is_padded = false;  // rows are `ld` elements apart
  bool is_written = false; // may be; the others are const
  bool is_index = false;   // holds positions below the size of an axis
};

// Two arrays that share memory in some runs: the second begins `shift` elements after the first.
struct Sharing {
  int first, second;
  int shift;
};

struct Sample {
  std::uint64_t seed = 0;
  std::string name;   // of the function
  std::string scope;  // "" or "heat::"
  std::string prefix; // types and helpers ahead of it
  std::string text;   // the function, inside its namespace
  std::string tracer; // the same over tracing arrays
  std::string element;
  std::string returns; // type, "void" for none
  std::vector<Array> arrays;
  std::vector<std::string> arguments; // "@0" for the array 0, "{ns}" for the namespace that holds the kernel's types
  std::vector<Sharing> sharings;
  bool is_cubic = false; // touches n * m * p elements: small sizes only
};

[[nodiscard]] Sample make_sample(std::uint64_t seed, const std::string &name);

} // namespace kopt::fuzz
