// Output: whether an application prints the same with variants on as with variants off. Its stdout is taken as lines of words
// and numbers. What already differs between two runs with variants off (a date, a process id) is *noise* and not compared; nor
// is a number that reads like a time or a rate. All other words must be equal, and numbers equal within a tolerance; of a
// number printed with more than five digits the last may differ by one.
#pragma once

#include <string>
#include <vector>

namespace kopt {

struct OutputTolerance {
  double relative = 1e-9, absolute = 0;
};

struct OutputComparison {
  bool comparable = true; // false: there is no number to compare
  bool same = true;       // meaningless where not comparable
  int numbers = 0;        // compared
  int ignored = 0;        // noise
  std::string text;       // "42 numbers agree, 3 ignored"; or the first difference; or why there is nothing to compare
};

// `off`: stdout of at least one run with variants off, two for noise to be seen.
[[nodiscard]] OutputComparison compare_outputs(const std::vector<std::string> &off, const std::string &on,
                                               const OutputTolerance &tolerance);

} // namespace kopt
