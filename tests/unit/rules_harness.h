// Harness: compiles a kernel together with all variants proposed for it and runs them against each other on many sizes.
//
// A Subject says how a model of tests/models is called. In its text, `p` and `q` are sizes, x, y and z are arrays of doubles of
// exactly the length asked for, filled with numbers, and f is the kernel or a variant.
#pragma once

#include "core/model.h"
#include "propose/proposer.h"

#include <ostream>
#include <string>
#include <vector>

namespace kopt::fixture {

struct Subject {
  std::string model;                     // name in tests/models
  std::string type = "double";           // of array elements
  std::string x = "0", y = "0", z = "0"; // lengths of the arrays, in p and q
  std::string call;                      // one call; what it returns is added to the comparison if `returns`
  bool returns = false;
};

inline void PrintTo(const Subject &subject, std::ostream *out) { *out << subject.model; }

[[nodiscard]] const std::vector<Subject> &subjects();

[[nodiscard]] Model model_named(const std::string &name);

// A C++ program that prints one line for each variant and pair of sizes that gives another result than the kernel, and "done"
// at its end. Every variant is in it twice: with its default parameters, and with all of them set to 3.
[[nodiscard]] std::string program_for(const Subject &subject, const Model &model, const std::vector<Proposal> &proposals);

// Compiles with the address sanitizer and runs; what compiler and program printed.
[[nodiscard]] std::string output_of(const std::string &program, const std::string &name);

} // namespace kopt::fixture
