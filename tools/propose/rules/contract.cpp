// Register tiling of a contraction: a tile of rows x columns elements stays in registers while products are added to it; what a
// tile reads is packed side by side first, so that the innermost loops have constant lengths and contiguous operands. An
// element takes its products in the order of the original.
#include "propose/rules/contraction.h"
#include "propose/rules/shapes.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace kopt {

namespace {

struct Macros {
  std::string rows, columns; // of a tile
  std::string depth;         // of a block: products added between loading and storing a tile
  std::string tiles;         // rows of tiles in a block
};

// The names that the loops of the tiled nest get.
struct Loops {
  std::string k0, k1; // block of depth
  std::string i0, i1; // block of rows
  std::string i2, i3; // rows of a tile
  std::string j0, j1; // columns of a tile
};

class Tiled final : public Shape {
public:
  Tiled(Contraction contraction, Macros macros) : c_(std::move(contraction)), m_(std::move(macros)) {}

  void write(Writer &writer) const override {
    const Loops l = name_loops(writer);
    std::vector<std::string> operands;
    for (const Operand &operand : c_.operands) operands.push_back(writer.fresh(operand.of_rows ? "rows" : "columns"));
    const std::string tile = writer.fresh("tile"), sums = writer.fresh("sums");
    writer.line(
        fmt::format("// Contraction: tiles of {} x {} elements of {} take {} products each while they are in registers; what",
                    m_.rows, m_.columns, c_.target->leaf, m_.depth));
    writer.line("// they read is packed side by side first.");
    writer.open("");
    for (size_t q = 0; q < operands.size(); ++q)
      writer.line(fmt::format("alignas(64) {} {}{};", c_.operands[q].type, operands[q],
                              c_.operands[q].of_rows ? fmt::format("[{}][{}][{}]", m_.tiles, m_.depth, m_.rows)
                                                     : fmt::format("[{}][{}]", m_.depth, m_.columns)));
    writer.line(fmt::format("alignas(64) {} {}[{}][{}] = {{}};", c_.type, tile, m_.rows, m_.columns));
    for (const Node *loop : c_.batch) writer.open(writer.spelled(loop->text));
    open_block(writer, *c_.depth, l.k0, l.k1, bound(writer, c_.depth->lower), bound(writer, c_.depth->upper), m_.depth);
    open_block(writer, *c_.rows, l.i0, l.i1, bound(writer, c_.rows->lower), bound(writer, c_.rows->upper),
               m_.tiles + " * " + m_.rows);
    // Rows without columns have no products, and their operands may not even be there.
    writer.line(fmt::format("if (!({} < {})) continue;", in_parentheses(along_rows(writer, false, l.i0, l.i1)),
                            in_parentheses(along_rows(writer, true, l.i0, l.i1))));
    open_block(writer, *c_.rows, l.i2, l.i3, l.i0, l.i1, m_.rows);
    pack(writer, operands, true, l);
    writer.close();
    open_block(writer, *c_.columns, l.j0, l.j1, along_rows(writer, false, l.i0, l.i1), along_rows(writer, true, l.i0, l.i1),
               m_.columns);
    pack(writer, operands, false, l);
    open_block(writer, *c_.rows, l.i2, l.i3, l.i0, l.i1, m_.rows);
    write_tile(writer, operands, tile, sums, l);
    for (size_t open = 0; open < 5 + c_.batch.size(); ++open) writer.close();
  }

private:
  Contraction c_;
  Macros m_;

  Loops name_loops(Writer &writer) const {
    const std::string &i = c_.rows->variable, &j = c_.columns->variable, &k = c_.depth->variable;
    Loops l;
    const auto numbered = [&](const std::string &variable, const char *number) {
      const bool ends_in_digit = std::isdigit(static_cast<unsigned char>(variable.back()));
      return writer.fresh(variable + (ends_in_digit ? "_" : "") + number);
    };
    l.k0 = numbered(k, "0"), l.k1 = numbered(k, "1");
    l.i0 = numbered(i, "0"), l.i1 = numbered(i, "1"), l.i2 = numbered(i, "2"), l.i3 = numbered(i, "3");
    l.j0 = numbered(j, "0"), l.j1 = numbered(j, "1");
    return l;
  }

  static std::string bound(const Writer &writer, const Bound &bound) { return writer.spelled(bound.text); }

  [[nodiscard]] bool follows_rows(const Bound &bound) const { return bound.polynomial->uses(c_.rows->variable); }

  // The columns' lower or upper bound in one row, or the outermost of rows first ... last - 1.
  std::string in_row(const Writer &writer, bool upper, const std::string &row) const {
    const Bound &bound = upper ? c_.columns->upper : c_.columns->lower;
    return replace_words(writer.spelled(bound.text), {{c_.rows->variable, row}});
  }
  std::string along_rows(const Writer &writer, bool upper, const std::string &first, const std::string &last) const {
    const Bound &bound = upper ? c_.columns->upper : c_.columns->lower;
    const bool rises = bound.polynomial->coefficient_of(c_.rows->variable).constant() > 0;
    return in_row(writer, upper, rises == upper ? "(" + last + " - 1)" : first);
  }

  // `for (int i0 = first, i1; i0 < end; i0 = i1) { i1 = end - i0 > size ? i0 + size : end;`
  static void open_block(Writer &writer, const Node &loop, const std::string &first, const std::string &next,
                         const std::string &from, const std::string &end, const std::string &size) {
    writer.open(fmt::format("for ({} {} = {}, {}; {} < {}; {} = {})", loop.type, first, from, next, first, end, first, next));
    writer.line(fmt::format("{} = {} - {} > {} ? {} + {} : {};", next, in_parentheses(end), first, size, first, size, end));
  }

  static std::string in_parentheses(const std::string &text) {
    return text.find_first_of(" ?") == std::string::npos ? text : "(" + text + ")";
  }

  static void plain_loop(Writer &writer, const std::string &type, const std::string &variable, const std::string &first,
                         const std::string &end) {
    writer.open(fmt::format("for ({} {} = {}; {} < {}; ++{})", type, variable, first, variable, end, variable));
  }

  // Copies the operands' elements of one tile's rows or columns, and zeros for those that the last tile lacks.
  void pack(Writer &writer, const std::vector<std::string> &names, bool rows, const Loops &l) const {
    const Node &loop = rows ? *c_.rows : *c_.columns;
    const std::string &first = rows ? l.i2 : l.j0, &end = rows ? l.i3 : l.j1, &size = rows ? m_.rows : m_.columns;
    const std::string &k = c_.depth->variable;
    const std::string lane = writer.fresh(rows ? "row" : "column");
    const bool some_empty = rows && (follows_rows(c_.columns->lower) || follows_rows(c_.columns->upper));
    const std::string is_empty = some_empty
                                     ? fmt::format("!({} < {}) ? 0 : ", in_parentheses(in_row(writer, false, loop.variable)),
                                                   in_parentheses(in_row(writer, true, loop.variable)))
                                     : "";
    for (size_t q = 0; q < names.size(); ++q) {
      if (c_.operands[q].of_rows != rows) continue;
      const std::string packed = place(names[q], rows, k, l);
      plain_loop(writer, c_.depth->type, k, l.k0, l.k1);
      writer.line(fmt::format("for ({} {} = {}; {} < {}; ++{}) {}[{} - {}] = {}{};", loop.type, loop.variable, first,
                              loop.variable, end, loop.variable, packed, loop.variable, first, is_empty,
                              in_parentheses(writer.spelled(c_.operands[q].text))));
      writer.line(fmt::format("for ({} {} = {} - {}; {} < {}; ++{}) {}[{}] = 0;", loop.type, lane, end, first, lane, size, lane,
                              packed, lane));
      writer.close();
    }
  }

  [[nodiscard]] std::string place(const std::string &name, bool of_rows, const std::string &k, const Loops &l) const {
    if (!of_rows) return fmt::format("{}[{} - {}]", name, k, l.k0);
    return fmt::format("{}[({} - {}) / {}][{} - {}]", name, l.i2, l.i0, m_.rows, k, l.k0);
  }

  void write_tile(Writer &writer, const std::vector<std::string> &operands, const std::string &tile, const std::string &sums,
                  const Loops &l) const {
    const std::string row = writer.fresh("row"), column = writer.fresh("column");
    const std::string rows_loop = fmt::format("for (int {} = 0; {} < {}; ++{})", row, row, m_.rows, row);
    const std::string columns_loop = fmt::format("for (int {} = 0; {} < {}; ++{})", column, column, m_.columns, column);
    if (follows_rows(c_.columns->lower) || follows_rows(c_.columns->upper))
      writer.line(fmt::format("if ({} <= {} || {} >= {}) continue;", along_rows(writer, true, l.i2, l.i3), l.j0,
                              along_rows(writer, false, l.i2, l.i3), l.j1));
    copy_tile(writer, tile, true, l);
    const std::string at = fmt::format("[{}][{}]", row, column);
    writer.line(fmt::format("{} {}[{}][{}];", c_.type, sums, m_.rows, m_.columns));
    writer.line(rows_loop);
    writer.line(fmt::format("  {} {}{} = {}{};", columns_loop, sums, at, tile, at));
    plain_loop(writer, c_.depth->type, c_.depth->variable, l.k0, l.k1);
    writer.line("#pragma GCC unroll 16");
    writer.open(rows_loop);
    writer.open(columns_loop);
    std::vector<std::string> elements;
    for (size_t q = 0; q < operands.size(); ++q)
      elements.push_back(fmt::format("{}[{}]", place(operands[q], c_.operands[q].of_rows, c_.depth->variable, l),
                                     c_.operands[q].of_rows ? row : column));
    for (const std::string &update : c_.updates)
      writer.line(fmt::format("{}{} {};", sums, at, writer.spelled(fill_holes(update, elements))));
    for (int open = 0; open < 3; ++open) writer.close();
    writer.line(rows_loop);
    writer.line(fmt::format("  {} {}{} = {}{};", columns_loop, tile, at, sums, at));
    copy_tile(writer, tile, false, l);
  }

  // Between the array and the tile: the elements that are the nest's.
  void copy_tile(Writer &writer, const std::string &tile, bool load, const Loops &l) const {
    const std::string &i = c_.rows->variable, &j = c_.columns->variable;
    plain_loop(writer, c_.rows->type, i, l.i2, l.i3);
    const std::string first = row_bound(writer, false, l.j0), end = row_bound(writer, true, l.j1);
    const std::string inside = fmt::format("{}[{} - {}][{} - {}]", tile, i, l.i2, j, l.j0),
                      outside = writer.spelled(c_.target->text);
    writer.line(fmt::format("for ({} {} = {}; {} < {}; ++{}) {} = {};", c_.columns->type, j, first, j, end, j,
                            load ? inside : outside, load ? outside : inside));
    writer.close();
  }

  // A row's first or last column inside the tile.
  std::string row_bound(Writer &writer, bool upper, const std::string &of_tile) const {
    if (!follows_rows(upper ? c_.columns->upper : c_.columns->lower)) return of_tile;
    const std::string name = writer.fresh(c_.columns->variable + (upper ? "_last" : "_first"));
    const std::string own = in_row(writer, upper, c_.rows->variable);
    writer.line(fmt::format("const {} {} = {} {} {} ? {} : {};", c_.columns->type, name, in_parentheses(own), upper ? "<" : ">",
                            of_tile, own, of_tile));
    return name;
  }
};

// A few good sizes, best first: as many elements as registers can hold beside the operands, and blocks that stay in the caches.
std::vector<ParameterRange> ranges_for(const Contraction &made, const Macros &macros, const Machine &machine) {
  const long lanes = machine.lanes(made.element_bytes), rows = machine.vector_registers >= 32 ? 8 : 4;
  const auto is_row = [](const Operand &operand) { return operand.of_rows; };
  const long row_operands = std::count_if(made.operands.begin(), made.operands.end(), is_row);
  const long column_operands = static_cast<long>(made.operands.size()) - row_operands;
  long depth = 256, tiles = 32;
  while (depth > 64 && column_operands * depth * 2 * lanes * made.element_bytes > machine.l1_bytes * 3 / 4) depth /= 2;
  while (tiles > 4 && row_operands * tiles * rows * depth * made.element_bytes > std::min(machine.l2_bytes / 4, 256L * 1024))
    tiles /= 2;
  const auto text = [](long number) { return std::to_string(number); };
  return {{macros.rows, {text(rows), "6", text(rows / 2)}},
          {macros.columns, {text(2 * lanes), text(3 * lanes), text(lanes)}},
          {macros.depth, {text(depth), text(depth / 2)}},
          {macros.tiles, {text(tiles), text(tiles / 2)}}};
}

} // namespace

Shaped shape_of(Contraction contraction, const Workshop &workshop) {
  const Macros macros{workshop.names.shared("KOPT_ROWS"), workshop.names.shared("KOPT_COLUMNS"),
                      workshop.names.shared("KOPT_DEPTH"), workshop.names.shared("KOPT_TILES")};
  Shaped shaped;
  shaped.technique = "register tiling";
  shaped.reorders_reduction = contraction.reorders_reduction;
  shaped.assumed = contraction.assumed;
  shaped.tunables = ranges_for(contraction, macros, workshop.machine);
  shaped.shape = std::make_unique<Tiled>(std::move(contraction), macros);
  return shaped;
}

std::optional<Shaped> contract(const Node &root, const std::vector<Polynomial> &context, const Workshop &workshop) {
  auto made = contraction_of(root, context, workshop);
  if (!made) return std::nullopt;
  Shaped shaped = shape_of(std::move(*made), workshop);
  shaped.loop = &root;
  return shaped;
}

} // namespace kopt
