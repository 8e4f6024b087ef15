// Rewrite: a technique that turns a nest's nodes into other nodes of a model's body, so that the next technique can study the
// result like the original.
#pragma once

#include "propose/proposer.h"
#include "propose/rules/dependence.h"
#include "propose/rules/machine.h"
#include "propose/rules/words.h"

#include <optional>

namespace kopt {

// What every technique works with.
struct Workshop {
  const Model &model;
  const Machine &machine;
  Integers &integers;
  Names &names; // of the variant being made
  std::vector<Refusal> &refusals;

  void refuse(const std::string &technique, const std::string &reason, int line) const;
};

struct Rewrite {
  Nodes nodes;           // in place of the nest's root
  std::string technique; // a pattern name
  bool reorders_reduction = false;
  DisjointPairs assumed;
  bool is_final = false; // no other rewrite may touch these nodes: a shape is waiting for them
};

// Splits loops with several parts into one loop for each, so that nests become perfect. Nothing where there is nothing to
// split, or it is not legal. A part is a run of statements, or one statement where `finely`.
[[nodiscard]] std::optional<Rewrite> distribute(const Nest &nest, const Workshop &workshop, bool finely = false);

// Distributes a nest of which some part then is a contraction.
[[nodiscard]] std::optional<Rewrite> expose_contractions(const Nest &nest, const Workshop &workshop);

// Puts the loops of a perfect nest into the legal order in which innermost accesses are contiguous. Nothing where the order is
// best as it is.
[[nodiscard]] std::optional<Rewrite> interchange(const Nest &nest, const Workshop &workshop);

// Puts the loops that only repeat an accumulation (k in C[i][j] += A[i][k] * B[k][j]) innermost, the form that accumulates in
// registers.
[[nodiscard]] std::optional<Rewrite> reduce_innermost(const Nest &nest, const Workshop &workshop);

// Accumulates an array element that does not change its place during an inner loop in a local scalar.
[[nodiscard]] std::optional<Rewrite> promote(const Nest &nest, const Workshop &workshop);

// The reverse: accumulates in the array element that a local scalar is stored to in the end.
[[nodiscard]] std::optional<Rewrite> accumulate_in_place(const Nest &nest, const Workshop &workshop);

// How an access moves when a loop advances by one.
enum class Stride { None, Unit, Far };
[[nodiscard]] Stride stride_of(const Access &access, const std::string &variable);

} // namespace kopt
