// Blocked elimination: `for k { row k /= ...; for i > k, j > k: A[i][j] -= A[i][k] * A[k][j]; }` takes one tile of the matrix
// after the other through all its steps. Steps whose pivot lies before the tile, in both directions, read nothing that the tile
// holds: together they are a contraction. Only the steps inside the tile remain as they are written.
#include "propose/rules/band.h"
#include "propose/rules/contraction.h"
#include "propose/rules/shapes.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

// A sweep as this technique needs it: one row (step + `row`) or all rows from step + `row` on, and columns from step +
// `column`.
struct Part {
  const Node *node = nullptr;
  const Node *rows = nullptr; // nothing: one row
  const Node *columns = nullptr;
  std::int64_t row = 0, column = 0;
};

struct Elimination {
  const Node *steps = nullptr;
  std::vector<Part> parts; // the last one is the update of all rows
  DisjointPairs assumed;
  std::shared_ptr<Node> tile; // the nest of the contraction, between the tile's bounds
};

struct TileNames {
  std::string i0, i1, j0, j1, before, inside; // rows, columns; end of the steps before the tile, and of those inside
};

// How far `bound` is beyond the step's number; nothing where it is not step + number.
std::optional<std::int64_t> beyond_step(const Polynomial &bound, const Node &steps) {
  const Polynomial distance = bound - Polynomial::symbol(steps.variable);
  return distance.is_constant() ? std::optional(distance.constant()) : std::nullopt;
}

std::optional<Part> part_of(const Sweep &sweep, const Node &steps) {
  Part part;
  part.node = sweep.node;
  const std::vector<const Node *> chain = perfect_chain(*sweep.node);
  if (sweep.node->kind != Node::Kind::Loop || !only_statements(chain.back()->body)) return std::nullopt;
  if (chain.size() != (sweep.follows_rows ? 2U : 1U)) return std::nullopt;
  part.rows = sweep.follows_rows ? chain.front() : nullptr;
  part.columns = chain.back();
  const auto row = beyond_step(part.rows ? *part.rows->lower.polynomial : sweep.row, steps);
  const auto column = beyond_step(*part.columns->lower.polynomial, steps);
  if (!row || !column || !can_be_cut(*part.columns) || part.columns->type != steps.type) return std::nullopt;
  part.row = *row, part.column = *column;
  std::set<std::string> variables{steps.variable};
  if (part.rows) variables.insert(part.rows->variable);
  for (const Node *loop : {part.rows, part.columns})
    if (loop)
      for (const std::string &symbol : loop->upper.polynomial->symbols())
        if (variables.contains(symbol)) return std::nullopt;
  return part;
}

// The tiles of the last part hold all that the others do.
bool all_inside(const std::vector<Part> &parts, const Node &steps) {
  const Part &main = parts.back();
  return std::all_of(parts.begin(), parts.end(), [&](const Part &part) {
    const Polynomial room = *main.rows->upper.polynomial - *steps.upper.polynomial - Polynomial(part.row);
    return *part.columns->upper.polynomial == *main.columns->upper.polynomial &&
           (part.rows || (room.is_constant() && room.constant() >= 0));
  });
}

// No dependence leads to an earlier column either; each statement writes in the column that its loop names.
bool columns_keep(const Node &root, const std::vector<Part> &parts, const std::vector<Polynomial> &context,
                  const Workshop &workshop) {
  const Nodes before{root};
  const Dependences dependences(workshop.model, before, context, workshop.integers);
  Coordinates coordinates;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Node &node = before.front().body[i];
    const std::string &column = parts[i].columns->variable;
    for (const Node &statement : perfect_chain(node).back()->body) {
      coordinates[statement.id] = Polynomial::symbol(column);
      for (const Access &access : statement.accesses) {
        const auto &cell = dependences.arrays().subscripts(access);
        if (!access.writes()) continue;
        if (!cell || cell->size() != 2 || cell->back() != Polynomial::symbol(column)) return false;
        if (parts[i].rows && cell->front() != Polynomial::symbol(parts[i].rows->variable)) return false;
      }
    }
  }
  const auto fallback = dependences.first_fallback(coordinates, root.variable);
  if (fallback) workshop.refuse("blocked elimination", fallback->reason, fallback->line);
  return !fallback;
}

// In steps before the tile, what the update reads beside its target lies outside of the tile.
bool reads_outside(const Node &root, const Part &main, const std::vector<Polynomial> &context, const Workshop &workshop) {
  const Nodes before{root};
  const Delinearization arrays(before, context, workshop.integers);
  const std::string &i = main.rows->variable, &j = main.columns->variable, &k = root.variable;
  for (const Place &place : places_in(before)) {
    if (place.loops.size() != 3 || place.loops.back()->variable != j) continue;
    for (const Access &access : place.node->accesses) {
      if (access.writes() || access.leaf.empty()) continue;
      const auto &cell = arrays.subscripts(access);
      if (!cell || cell->size() != 2) return false;
      const Affine::Variables names{{k, "k"}, {i, "i"}, {j, "j"}};
      Affine affine;
      const auto row = affine.spell(cell->front(), names), column = affine.spell(cell->back(), names);
      if (!row || !column) return false;
      if (*row == "1*i" && *column == "1*j") continue; // the target itself
      const std::string tile = "i0 <= i and i < i1 and j0 <= j and j < j1 and k < i0 - " + std::to_string(main.row - 1) +
                               " and k < j0 - " + std::to_string(main.column - 1);
      const std::string inside =
          fmt::format("i0 <= {0} and {0} < i1 and j0 <= {1} and {1} < j1", "(" + *row + ")", "(" + *column + ")");
      const auto empty = workshop.integers.is_empty(
          fmt::format("{}{{ [k, i, j, i0, i1, j0, j1] : {} and {} }}", affine.parameters(), tile, inside));
      if (!empty || !*empty) return false;
    }
  }
  return true;
}

Node between(const Node &loop, const std::string &first, const std::string &end, Nodes body) {
  Node cut = with_body(loop, std::move(body));
  cut.lower = {first, Polynomial::symbol(first)};
  cut.upper = {end, Polynomial::symbol(end)};
  return cut;
}

class Eliminated final : public Shape {
public:
  Eliminated(Elimination elimination, TileNames names, std::string macro, std::unique_ptr<Shape> contraction)
      : e_(std::move(elimination)), n_(std::move(names)), macro_(std::move(macro)), contraction_(std::move(contraction)) {}

  void write(Writer &writer) const override {
    const Node &rows = *main().rows, &columns = *main().columns, &steps = *e_.steps;
    writer.line(fmt::format("// Blocked elimination: tiles of {} x {} elements; the steps before a tile are one contraction.",
                            macro_, macro_));
    tiles(writer, rows, n_.i0, n_.i1, least(true));
    tiles(writer, columns, n_.j0, n_.j1, least(false));
    const std::string end = writer.spelled(steps.upper.text);
    smaller(writer, n_.before, fmt::format("{}{}", n_.i0, minus(most(true))), fmt::format("{}{}", n_.j0, minus(most(false))));
    smaller(writer, n_.inside, fmt::format("{}{}", n_.i1, minus(least(true))), end);
    writer.line(fmt::format("if ({} > {}) {} = {};", n_.before, end, n_.before, end));
    writer.line(fmt::format("if ({0} < {1}) {0} = {1};", n_.before, writer.spelled(steps.lower.text)));
    contraction_->write(writer);
    writer.open(loop_head(steps, n_.before, n_.inside));
    for (const Part &part : e_.parts) inside(writer, part);
    for (int open = 0; open < 3; ++open) writer.close();
  }

private:
  Elimination e_;
  TileNames n_;
  std::string macro_;
  std::unique_ptr<Shape> contraction_;

  [[nodiscard]] const Part &main() const { return e_.parts.back(); }

  static std::string minus(std::int64_t number) {
    return number == 0 ? "" : number > 0 ? fmt::format(" - {}", number) : fmt::format(" + {}", -number);
  }

  // Of the distances between the step and the first row or column that a part touches.
  [[nodiscard]] std::int64_t least(bool rows) const {
    std::int64_t least = rows ? main().row : main().column;
    for (const Part &part : e_.parts) least = std::min(least, rows ? part.row : part.column);
    return least;
  }
  // A step is before the tile if its pivot's distance to it is this at least: then no part but the update has work there, and
  // the update covers all of the tile.
  [[nodiscard]] std::int64_t most(bool rows) const {
    std::int64_t most = (rows ? main().row : main().column) - 1;
    for (const Part &part : e_.parts)
      if (rows && !part.rows) most = std::max(most, part.row);
    return most;
  }

  void tiles(Writer &writer, const Node &loop, const std::string &first, const std::string &end, std::int64_t distance) const {
    const std::string from =
        in_parentheses(writer.spelled(e_.steps->lower.text)) + (distance == 0  ? ""
                                                                : distance > 0 ? fmt::format(" + {}", distance)
                                                                               : fmt::format(" - {}", -distance));
    const std::string last = in_parentheses(writer.spelled(loop.upper.text));
    writer.open(fmt::format("for ({} {} = {}, {}; {} < {}; {} = {})", loop.type, first, from, end, first, last, first, end));
    writer.line(fmt::format("{} = {} - {} > {} ? {} + {} : {};", end, last, first, macro_, first, macro_, last));
  }

  void smaller(Writer &writer, const std::string &name, const std::string &one, const std::string &other) const {
    writer.line(fmt::format("{} {} = {} < {} ? {} : {};", e_.steps->type, name, one, in_parentheses(other), one, other));
  }

  // What one step does inside the tile.
  void inside(Writer &writer, const Part &part) const {
    const std::string step = e_.steps->variable;
    if (part.rows) {
      writer.open_clipped(*part.rows, n_.i0, n_.i1);
    } else {
      const std::string row = part.row == 0 ? step : fmt::format("{}{}", step, minus(-part.row));
      writer.open(fmt::format("if ({} >= {} && {} < {})", row, n_.i0, row, n_.i1));
    }
    writer.open_clipped(*part.columns, n_.j0, n_.j1);
    writer.nodes(part.columns->body);
    writer.close();
    writer.close();
  }

  static std::string in_parentheses(const std::string &text) {
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  }
};

} // namespace

std::optional<Shaped> eliminate(const Node &root, const std::vector<Polynomial> &context, const Workshop &workshop) {
  const auto banded = bands_of(root, context, workshop);
  if (!banded || banded->skew != 0 || banded->sweeps.size() < 2) return std::nullopt;
  Elimination elimination;
  elimination.steps = &root;
  elimination.assumed = banded->assumed;
  for (const Sweep &sweep : banded->sweeps) {
    const auto part = part_of(sweep, root);
    if (!part || (sweep.follows_rows && sweep.row != Polynomial::symbol(sweep.node->variable))) return std::nullopt;
    elimination.parts.push_back(*part);
  }
  int updates = 0;
  for (const Part &part : elimination.parts) updates += part.rows ? 1 : 0;
  const Part main = elimination.parts.back();
  if (updates != 1 || !main.rows || !all_inside(elimination.parts, root)) return std::nullopt;
  if (!columns_keep(root, elimination.parts, context, workshop) || !reads_outside(root, main, context, workshop))
    return std::nullopt;

  const auto named = [&](const std::string &name) { return workshop.names.fresh(name); };
  const TileNames names{named(main.rows->variable + "_tile"),
                        named(main.rows->variable + "_end"),
                        named(main.columns->variable + "_tile"),
                        named(main.columns->variable + "_end"),
                        named("before"),
                        named("inside")};
  const Nodes body = main.columns->body;
  elimination.tile = std::make_shared<Node>(between(
      *main.rows, names.i0, names.i1, {between(*main.columns, names.j0, names.j1, {between(root, "0", names.before, body)})}));
  Node &depth = elimination.tile->body.front().body.front();
  depth.lower = root.lower;
  auto contraction = contraction_form(*elimination.tile, workshop.model);
  if (!contraction || contraction->depth != &depth) return std::nullopt;
  const std::string macro = workshop.names.fresh("KOPT_TILE");
  Shaped shaped = shape_of(std::move(*contraction), workshop);
  shaped.loop = &root;
  shaped.technique = "blocked elimination";
  shaped.assumed = elimination.assumed;
  shaped.tunables.insert(shaped.tunables.begin(), {macro, {"32", "48", "64", "24"}});
  auto tiled = std::move(shaped.shape);
  shaped.shape = std::make_unique<Eliminated>(std::move(elimination), names, macro, std::move(tiled));
  return shaped;
}

} // namespace kopt
