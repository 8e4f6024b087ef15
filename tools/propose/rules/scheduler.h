// Scheduler: a new order for all instances of several statements at once, found by isl: which loops are fused and which are
// not, by how much one lags behind another, which loops can be cut into tiles. What comes back is a Scan: loops over
// coordinates of the schedule, and in them the runs of statements, whose iterations are functions of those coordinates.
#pragma once

#include "core/error.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kopt {

struct Scan {
  enum class Kind { Block, Loop, Branch, Run };
  Kind kind = Kind::Block;
  // Loop: `for (T iterator = first; condition; iterator += step)`; without a condition it runs once. Branch: `if (condition)`.
  std::string iterator, first, condition, step;
  bool independent = false; // innermost loop that carries no dependence
  // Run: a statement in the iteration given by its loops' values, outermost first.
  std::string statement;
  std::vector<std::string> values;
  std::vector<Scan> body, otherwise;
};

struct Timetable {                       // all texts in isl's notation, with the same parameters
  std::string domain;                    // union of sets: the instances of each statement
  std::string orders;                    // union of relations: the first instance must stay first
  std::string reuse;                     // union of relations: the closer the better
  std::string context;                   // of parameters
  std::map<std::string, int> contiguous; // statement -> its loop along which memory is contiguous, if there is one
  std::vector<std::string> iterators;    // names for coordinates
  std::string least, most, floor;        // names of functions for min(a, b), max(a, b) and rounding division
};

// How the outermost loops that may be exchanged freely are cut: the first, those between, and the contiguous one last; 0 leaves
// the loop whole.
struct TileSizes {
  long first = 0, middle = 0, last = 0;
};

enum class Fusion { Most, Least };

// Nothing to hold on to: each call has its own isl context. An error where isl finds no schedule within its limits.
[[nodiscard]] Result<Scan> schedule(const Timetable &table, Fusion fusion, const TileSizes &tiles);

} // namespace kopt
