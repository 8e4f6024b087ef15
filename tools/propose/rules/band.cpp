#include "propose/rules/band.h"

#include "propose/rules/writer.h"

#include <algorithm>

namespace kopt {

namespace {

constexpr int farthest = 4; // skew, and rows that a sweep may lag behind

bool is_signed(const Node &loop) { return loop.type == "int" || loop.type == "long" || loop.type == "long long"; }

bool can_step(const Node &loop) { return can_be_cut(loop) && is_signed(loop); }

std::vector<const Node *> statements_in(const Node &node) {
  std::vector<const Node *> statements;
  const auto look = [&](const Node &inner) {
    if (inner.kind == Node::Kind::Statement) statements.push_back(&inner);
  };
  look(node);
  visit(static_cast<const Nodes &>(node.body), look);
  return statements;
}

// Loops with known bounds around statements, nothing else.
bool is_simple(const Node &node) {
  if (node.kind == Node::Kind::Statement) return !node.declares;
  if (node.kind != Node::Kind::Loop || !bounds_free_of(node, {})) return false;
  return std::all_of(node.body.begin(), node.body.end(),
                     [](const Node &inner) { return inner.kind == Node::Kind::Statement || is_simple(inner); });
}

// The first subscript of what a statement writes: the row that it belongs to. A scalar belongs to the step.
std::optional<Polynomial> row_written_by(const Node &statement, const Delinearization &arrays, const std::string &step) {
  for (const Access &access : statement.accesses) {
    if (!access.writes()) continue;
    const auto &cell = arrays.subscripts(access);
    if (!cell || cell->empty()) return std::nullopt;
    return cell->front();
  }
  return Polynomial::symbol(step);
}

std::optional<Sweep> sweep_of(const Node &node, const Node &steps, const Delinearization &arrays) {
  Sweep sweep;
  sweep.node = &node;
  const std::vector<const Node *> statements = statements_in(node);
  if (statements.empty() || !is_simple(node)) return std::nullopt;
  const auto row = row_written_by(*statements.front(), arrays, steps.variable);
  if (!row) return std::nullopt;
  sweep.follows_rows = node.kind == Node::Kind::Loop && row->uses(node.variable);
  sweep.row = sweep.follows_rows ? Polynomial::symbol(node.variable) : *row;
  if (sweep.follows_rows) return can_step(node) ? std::optional(sweep) : std::nullopt;
  for (const std::string &symbol : row->symbols()) { // one row for all of it
    bool inner = false;
    visit(Nodes{node}, [&](const Node &loop) { inner = inner || (loop.kind == Node::Kind::Loop && loop.variable == symbol); });
    if (inner) return std::nullopt;
  }
  return sweep;
}

// Bands keep rows in a cache from step to step: there must be rows that a step touches again, and more than one sweep or rows
// that are long. A sum of one sweep is better tiled.
bool pays(const Banded &banded, const Delinearization &arrays) {
  bool again = false, long_rows = false;
  for (const Sweep &sweep : banded.sweeps) {
    if (!sweep.follows_rows) continue;
    const Node &statement = *statements_in(*sweep.node).front();
    const auto row = row_written_by(statement, arrays, banded.steps->variable);
    const bool is_long = perfect_chain(static_cast<const Node &>(*sweep.node)).size() > 1;
    const bool is_sum = statement.reduction && (banded.sweeps.size() == 1 || !is_long);
    again = again || (row && !row->uses(banded.steps->variable) && !is_sum);
    long_rows = long_rows || is_long;
  }
  return again && (banded.sweeps.size() > 1 || long_rows);
}

Sweep *sweep_with(std::vector<Sweep> &sweeps, const std::string &statement) {
  for (Sweep &sweep : sweeps)
    for (const Node *inner : statements_in(*sweep.node))
      if (inner->id == statement) return &sweep;
  return nullptr;
}

// Lets sweeps lag behind and bands move until no dependence leads back; what is wrong if that does not help.
std::optional<Fallback> settle(Banded &banded, const Dependences &dependences) {
  std::map<const Node *, int> lags;
  while (true) {
    Coordinates coordinates;
    for (const Sweep &sweep : banded.sweeps)
      for (const Node *statement : statements_in(*sweep.node)) coordinates[statement->id] = banded.coordinate(sweep);
    const auto fallback = dependences.first_fallback(coordinates, banded.steps->variable);
    if (!fallback) return std::nullopt;
    Sweep *from = sweep_with(banded.sweeps, fallback->from), *to = sweep_with(banded.sweeps, fallback->to);
    if (!from || !to) return fallback;
    if (fallback->in_one_step) {
      if (from == to || ++lags[to->node] > farthest) return fallback;
      to->row = to->row + Polynomial(1);
    } else if (++banded.skew > farthest) {
      return fallback;
    }
  }
}

} // namespace

std::optional<Banded> bands_of(const Node &root, const std::vector<Polynomial> &context, const Workshop &workshop) {
  if (!can_step(root)) return std::nullopt;
  const Nodes before{root};
  const Dependences dependences(workshop.model, before, context, workshop.integers);
  Banded banded;
  banded.steps = &before.front();
  for (const Node &node : before.front().body) {
    const auto sweep = sweep_of(node, before.front(), dependences.arrays());
    if (!sweep || (sweep->follows_rows && node.type != root.type)) return std::nullopt;
    banded.sweeps.push_back(*sweep);
  }
  if (!pays(banded, dependences.arrays())) return std::nullopt;
  if (const auto fallback = settle(banded, dependences)) {
    workshop.refuse("row bands", fallback->reason, fallback->line);
    return std::nullopt;
  }
  banded.steps = &root;
  for (size_t i = 0; i < banded.sweeps.size(); ++i) banded.sweeps[i].node = &root.body[i];
  banded.assumed = dependences.assumed();
  return banded;
}

} // namespace kopt
