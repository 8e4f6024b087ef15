// Row bands: for each band of rows, all steps; within a step the sweeps, each cut to the rows that are the band's.
#include "propose/rules/band.h"
#include "propose/rules/shapes.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

constexpr long most = 1'000'000'000; // row numbers that `int` surely holds, with room for a band

// The smallest or largest value that a polynomial takes while the steps run.
Polynomial extreme(const Polynomial &value, const Node &steps, bool largest) {
  const bool rises = value.coefficient_of(steps.variable).constant() > 0;
  const Polynomial last = *steps.upper.polynomial - Polynomial(1);
  return value.substitute(steps.variable, rises == largest ? last : *steps.lower.polynomial);
}

struct Limits { // of coordinates, over all sweeps: the smallest of `begins`, the largest of `ends`
  std::vector<Polynomial> begins, ends;
};

// Leaves out what differs from another candidate by a constant in the wrong direction.
void add_limit(std::vector<Polynomial> &limits, const Polynomial &limit, bool largest) {
  for (Polynomial &known : limits) {
    const Polynomial difference = limit - known;
    if (!difference.is_constant()) continue;
    if ((difference.constant() > 0) == largest) known = limit;
    return;
  }
  limits.push_back(limit);
}

Limits limits_of(const Banded &banded) {
  Limits limits;
  for (const Sweep &sweep : banded.sweeps) {
    const Polynomial coordinate = banded.coordinate(sweep);
    Polynomial first = coordinate, last = coordinate;
    if (sweep.follows_rows) {
      first = coordinate.substitute(sweep.node->variable, *sweep.node->lower.polynomial);
      last = coordinate.substitute(sweep.node->variable, *sweep.node->upper.polynomial - Polynomial(1));
    }
    add_limit(limits.begins, extreme(first, *banded.steps, false), false);
    add_limit(limits.ends, extreme(last, *banded.steps, true) + Polynomial(1), true);
  }
  return limits;
}

class Bands final : public Shape {
public:
  Bands(Banded banded, Limits limits, std::string macro)
      : b_(std::move(banded)), limits_(std::move(limits)), macro_(std::move(macro)) {}

  void write(Writer &writer) const override {
    const std::string band = writer.fresh("band"), begin = writer.fresh("band_begin"), end = writer.fresh("band_end");
    writer.line(fmt::format("// Row bands: {} rows go through all steps before the next ones{}.", macro_,
                            b_.skew > 0 ? fmt::format("; a band moves back by {} each step", b_.skew) : ""));
    writer.open("");
    limit(writer, begin, limits_.begins, "<");
    limit(writer, end, limits_.ends, ">");
    writer.open(fmt::format("for ({0} {1} = {2}; {1} < {3}; {1} += {4})", b_.steps->type, band, begin, end, macro_));
    writer.open(writer.spelled(b_.steps->text));
    for (const Sweep &sweep : b_.sweeps) {
      if (sweep.follows_rows) {
        rows(writer, sweep, band);
      } else {
        one_row(writer, sweep, band);
      }
    }
    for (int open = 0; open < 3; ++open) writer.close();
  }

private:
  Banded b_;
  Limits limits_;
  std::string macro_;

  void limit(Writer &writer, const std::string &name, const std::vector<Polynomial> &candidates, const char *better) const {
    const char *constant = candidates.size() == 1 ? "const " : "";
    writer.line(fmt::format("{}{} {} = {};", constant, b_.steps->type, name, candidates.front().text()));
    for (size_t i = 1; i < candidates.size(); ++i)
      writer.line(fmt::format("if ({0} {1} {2}) {2} = {0};", candidates[i].text(), better, name));
  }

  void rows(Writer &writer, const Sweep &sweep, const std::string &band) const {
    const Node &loop = *sweep.node;
    const std::string from = writer.fresh("from"), to = writer.fresh("to");
    const Polynomial lag = b_.coordinate(sweep) - Polynomial::symbol(loop.variable);
    writer.open("");
    writer.line(fmt::format("const {} {} = {}, {} = {} + {};", loop.type, from, (Polynomial::symbol(band) - lag).text(), to,
                            from, macro_));
    writer.open_clipped(loop, from, to);
    writer.nodes(loop.body);
    writer.close();
    writer.close();
  }

  void one_row(Writer &writer, const Sweep &sweep, const std::string &band) const {
    const std::string row = in_parentheses(b_.coordinate(sweep).text());
    writer.open(fmt::format("if ({} >= {} && {} < {} + {})", row, band, row, band, macro_));
    writer.nodes({*sweep.node});
    writer.close();
  }

  static std::string in_parentheses(const std::string &text) {
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  }
};

// Coordinates must not overflow the loops' type. Nothing where a guard cannot say so.
std::optional<std::vector<std::string>> guards_for(const Banded &banded, const Limits &limits, const Model &model) {
  std::vector<std::string> guards;
  if (banded.steps->type != "int") return guards;
  const auto guard = [&](const Polynomial &value, bool largest) {
    for (const std::string &symbol : value.symbols()) {
      const Leaf *leaf = model.leaf(symbol);
      if (!leaf || leaf->is_pointer() || leaf->element.category != "integer") return false;
    }
    if (!value.is_constant())
      guards.push_back(fmt::format("{} {}", value.text(), largest ? fmt::format("<= {}", most) : fmt::format(">= -{}", most)));
    return !value.is_constant() || std::abs(value.constant()) <= most;
  };
  for (const Polynomial &begin : limits.begins)
    if (!guard(begin, false)) return std::nullopt;
  for (const Polynomial &end : limits.ends)
    if (!guard(end, true)) return std::nullopt;
  return guards;
}

} // namespace

std::optional<Shaped> bands(const Node &root, const std::vector<Polynomial> &context, const Workshop &workshop) {
  auto banded = bands_of(root, context, workshop);
  if (!banded) return std::nullopt;
  Limits limits = limits_of(*banded);
  const auto guards = guards_for(*banded, limits, workshop.model);
  if (!guards) return std::nullopt;
  const bool long_rows = std::any_of(banded->sweeps.begin(), banded->sweeps.end(), [](const Sweep &sweep) {
    return sweep.follows_rows && !only_statements(sweep.node->body);
  });
  const std::string macro = workshop.names.fresh("KOPT_BAND");
  Shaped shaped;
  shaped.loop = &root;
  shaped.technique = "row bands";
  shaped.assumed = banded->assumed;
  shaped.guards = *guards;
  shaped.tunables = {{macro, long_rows ? std::vector<std::string>{"16", "32", "8", "64"}
                                       : std::vector<std::string>{"2048", "1024", "4096", "512"}}};
  shaped.shape = std::make_unique<Bands>(std::move(*banded), std::move(limits), macro);
  return shaped;
}

} // namespace kopt
