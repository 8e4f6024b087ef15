// Dependence: two instances of statements that touch one memory cell, at least one writing it; the first must stay first. An
// order of a nest's statements is legal if it keeps all dependences, except those between the steps of one reduction, whose
// order only changes rounding.
//
// Local scalars declared inside a loop are cells of their own in each iteration. Leaves of different objects are assumed
// disjoint where a guard can say so.
#pragma once

#include "propose/rules/affine.h"
#include "propose/rules/alias.h"
#include "propose/rules/delinearize.h"
#include "propose/rules/integers.h"
#include "propose/rules/nest.h"

#include <optional>
#include <string>
#include <vector>

namespace kopt {

// The answer to: may the statements run in this order?
struct Legality {
  bool legal = true;
  bool reorders_reduction = false;
  std::string reason; // why not
  int line = 0;       // of the statement that stopped it
};

// A number for each instance of a statement (by id), in the variables of its loops: where it stands on some axis of the data.
using Coordinates = std::map<std::string, Polynomial>;

// A dependence that leads back: to an instance with a smaller coordinate than the one it must wait for.
struct Fallback {
  std::string from, to;     // statements; empty where no coordinates could help
  bool in_one_step = false; // of the loop that was asked about
  std::string reason;
  int line = 0;
};

class Dependences {
public:
  // Of the nest's statements as they are. The nest's nodes must outlive this.
  Dependences(const Model &model, const Nodes &nodes, const std::vector<Polynomial> &context, Integers &integers);
  Dependences(const Dependences &) = delete; // holds pointers into itself
  Dependences &operator=(const Dependences &) = delete;

  // `order` holds the same statements (by id) below the same loops (by variable), in another order.
  [[nodiscard]] Legality legal(const Nodes &order) const;

  // An order that takes its loops in blocks (all of block 0, then all of block 1 ...) is a mixture of orders without blocks:
  // the one inside a block, and for each loop that is cut the one with that loop outside of those that follow. If no dependence
  // points backwards in any of these, none does in the mixture, whatever the sizes of blocks.
  [[nodiscard]] Legality legal_in_blocks(const std::vector<Nodes> &orders) const;

  // Pairs of instances that must keep their order: s0, s1 ... are the loops of `first`, t0, t1 ... those of `second`, outermost
  // first, and the condition is in isl's notation, with parameters that `affine` names. Nothing, with the reason in `refusal`,
  // where no order but the present one is known to be right.
  struct Order {
    const Place *first, *second;
    std::string condition;
  };
  [[nodiscard]] std::optional<std::vector<Order>> orders(Affine &affine, Legality &refusal) const;
  // The same for pairs that only read one cell: they need no order, but gain from being close.
  [[nodiscard]] std::vector<Order> reuses(Affine &affine) const;
  // Nothing where no dependence leads back: then all instances with coordinates below any number may run before all others,
  // each side in the order as it is. `step` is the variable of a loop.
  [[nodiscard]] std::optional<Fallback> first_fallback(const Coordinates &coordinates, const std::string &step) const;

  // What all answers rest on.
  [[nodiscard]] const DisjointPairs &assumed() const { return assumed_; }
  // The delinearized accesses.
  [[nodiscard]] const Delinearization &arrays() const { return arrays_; }

private:
  struct Touch { // one access of a place to an array, a scalar, or (anything) all memory
    const Place *place;
    std::string object;
    std::string leaf;
    std::optional<Subscripts> cell; // nothing: any cell of the object
    bool reads, writes, anything, is_reduction;
    std::string text;
  };
  struct Conflict {
    const Touch *first, *second; // the first runs first in the order as it is
    bool is_reduction;           // two steps of one reduction
    std::string why;             // for a refusal
  };

  void collect_touches(const Place &place);
  void collect_conflicts();
  void add_conflict(const Touch &one, const Touch &other, const std::string &why);
  void guard_shared_scalars(const Nodes &nodes);
  [[nodiscard]] Subscripts private_cell(const Place &place, const std::string &scalar) const;
  // "a and b and ...": the conditions under which both run and touch one cell.
  [[nodiscard]] std::string meeting(const Conflict &conflict, Affine &affine) const;
  [[nodiscard]] std::optional<bool> leads_back(const Conflict &conflict, const Coordinates &coordinates,
                                               const std::string &step) const;
  [[nodiscard]] bool violates(const Conflict &conflict, const Place &first_after, const Place &second_after) const;

  Alias alias_;
  Integers &integers_;
  std::vector<Polynomial> context_;
  std::vector<Place> places_;
  Delinearization arrays_;
  std::vector<Touch> touches_;
  std::vector<Conflict> conflicts_;
  Legality blanket_; // what holds for every order: a refusal, or nothing
  DisjointPairs assumed_;
};

} // namespace kopt
