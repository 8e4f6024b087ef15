// Contraction: a perfect nest that adds products up: `C[i][j] += alpha * A[i][k] * B[k][j]` below loops over i, j and k in any
// order. Its rows (i) and columns (j) say which element is added to; its depth (k) is what is summed over. A row operand does
// not depend on the column (`alpha * A[i][k]`), a column operand not on the row (`B[k][j]`), so a block of either is read many
// times: rows times columns products from rows plus columns elements.
#pragma once

#include "propose/rules/formula.h"
#include "propose/rules/rewrite.h"

namespace kopt {

struct Operand {
  bool of_rows = false;
  std::string text; // C++, in the loops' variables
  std::string type;
};

struct Contraction {
  std::vector<const Node *> batch; // the loops around the three others, outermost first
  const Node *rows = nullptr, *columns = nullptr, *depth = nullptr;
  const Access *target = nullptr;
  std::string type; // of an element of the target
  int element_bytes = 8;
  std::vector<std::string> updates; // of an element, in the order of the original: "+= @0 * @1", with @k for the k-th operand
  std::vector<Operand> operands;
  bool reorders_reduction = false;
  DisjointPairs assumed;
};

// The form alone: nothing is said about what may run when, and operands may be other elements of the target's array.
[[nodiscard]] std::optional<Contraction> contraction_form(const Node &root, const Model &model);

// Nothing where the nest has another form. Where it has the form and its loops may not be exchanged, that is refused by name.
// Points into `root`.
[[nodiscard]] std::optional<Contraction> contraction_of(const Node &root, const std::vector<Polynomial> &context,
                                                        const Workshop &workshop);

} // namespace kopt
