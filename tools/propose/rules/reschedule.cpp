// Rescheduling: time steps, their sweeps and the statements around them as one set of instances, for which isl finds an order:
// sweeps that were apart are fused, one a step behind the other, and tiles reach over several time steps.
#include "propose/rules/instances.h"
#include "propose/rules/shapes.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace kopt {

namespace {

// Parameters may be added up a few times without overflow of an int.
constexpr long largest_parameter = 1 << 26;

using Lines = std::vector<std::string>;

struct Program {                      // what the printed loops need to know
  std::shared_ptr<const Nodes> nodes; // what the instances are of
  Instances instances;
  Timetable table;
  std::string type;                                            // of coordinates
  std::vector<std::pair<std::string, std::string>> parameters; // isl's name, C++ text
};

class Rescheduled final : public Shape {
public:
  Rescheduled(Program program, Scan scan) : program_(std::move(program)), scan_(std::move(scan)) {}

  void write(Writer &writer) const override {
    writer.line("// The same statements in another order.");
    writer.open("");
    helper(writer, program_.table.least, "a < b ? a : b");
    helper(writer, program_.table.most, "a > b ? a : b");
    helper(writer, program_.table.floor, "a >= 0 ? a / b : -((b - 1 - a) / b)");
    for (const auto &[name, text] : program_.parameters)
      if (mentions(scan_, name)) writer.line(fmt::format("const {} {} = {};", program_.type, name, text));
    print(writer, scan_);
    writer.close();
  }

private:
  Program program_;
  Scan scan_;

  static bool mentions(const Scan &scan, const std::string &name) {
    std::string text = scan.first + " " + scan.condition + " " + scan.step;
    for (const std::string &value : scan.values) text += " " + value;
    const auto inside = [&](const Scan &inner) { return mentions(inner, name); };
    return words_in(text).contains(name) || std::any_of(scan.body.begin(), scan.body.end(), inside) ||
           std::any_of(scan.otherwise.begin(), scan.otherwise.end(), inside);
  }

  void helper(Writer &writer, const std::string &name, const char *value) const {
    if (mentions(scan_, name))
      writer.line(fmt::format("const auto {0} = []({1} a, {1} b) {{ return {2}; }};", name, program_.type, value));
  }

  static bool holds_loop(const Scan &scan) {
    const auto inside = [](const Scan &inner) {
      return (inner.kind == Scan::Kind::Loop && !inner.condition.empty()) || holds_loop(inner);
    };
    return std::any_of(scan.body.begin(), scan.body.end(), inside) ||
           std::any_of(scan.otherwise.begin(), scan.otherwise.end(), inside);
  }

  void print(Writer &writer, const Scan &scan) const {
    switch (scan.kind) {
    case Scan::Kind::Block:
      return print(writer, scan.body);
    case Scan::Kind::Run:
      return run(writer, scan);
    case Scan::Kind::Branch:
      writer.open(fmt::format("if ({})", scan.condition));
      print(writer, scan.body);
      writer.close();
      if (scan.otherwise.empty()) return;
      writer.open("else");
      print(writer, scan.otherwise);
      return writer.close();
    case Scan::Kind::Loop:
      if (scan.condition.empty()) {
        writer.open("");
        writer.line(fmt::format("const {} {} = {};", program_.type, scan.iterator, scan.first));
      } else {
        if (scan.independent && !holds_loop(scan)) writer.line("#pragma GCC ivdep");
        writer.open(fmt::format("for ({0} {1} = {2}; {3}; {1} += {4})", program_.type, scan.iterator, scan.first,
                                scan.condition, scan.step));
      }
      print(writer, scan.body);
      return writer.close();
    }
  }

  void print(Writer &writer, const std::vector<Scan> &scans) const {
    for (const Scan &scan : scans) print(writer, scan);
  }

  void run(Writer &writer, const Scan &scan) const {
    const Unit &unit = program_.instances.units[static_cast<size_t>(std::stoul(scan.statement.substr(1)))];
    writer.open("");
    std::string text;
    visit_unit(unit, [&](const Node &node) { text += node.text + " " + node.condition + "\n"; });
    const std::set<std::string> used = words_in(text);
    for (size_t i = 0; i < unit.loops.size(); ++i)
      if (used.contains(unit.loops[i]->variable))
        writer.line(fmt::format("const {} {} = {};", unit.loops[i]->type, unit.loops[i]->variable, scan.values[i]));
    Nodes nodes;
    for (const Node *node : unit.nodes) nodes.push_back(*node);
    writer.nodes(nodes);
    writer.close();
  }

  static void visit_unit(const Unit &unit, const std::function<void(const Node &)> &see) {
    for (const Node *node : unit.nodes) visit(Nodes{*node}, see);
  }
};

// The loop along which most accesses of a unit are contiguous, and none far.
int contiguous_loop(const Unit &unit) {
  int best = -1, most = 0;
  for (size_t i = 0; i < unit.loops.size(); ++i) {
    int score = 0;
    for (const Node *node : unit.nodes)
      for (const Access &access : node->accesses) {
        const Stride stride = stride_of(access, unit.loops[i]->variable);
        score += stride == Stride::Unit ? 1 : stride == Stride::Far ? -2 : 0;
      }
    if (score > most) best = static_cast<int>(i), most = score;
  }
  return best;
}

// "[p0, p1] -> { A; B }"
std::string united(const Affine &affine, const Lines &parts) {
  std::string text;
  for (const std::string &part : parts) text += (text.empty() ? "" : "; ") + part;
  return affine.parameters() + "{ " + text + " }";
}

Lines relations(const std::vector<Dependences::Order> &orders, const Instances &instances) {
  Lines lines;
  for (const Dependences::Order &order : orders) {
    const size_t first = instances.unit_of.at(order.first->node), second = instances.unit_of.at(order.second->node);
    lines.push_back(fmt::format("{} -> {} : {}", instances.tuple(first, "s"), instances.tuple(second, "t"), order.condition));
  }
  return lines;
}

bool is_path(const std::string &text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
}

// Parameters are small enough for sums of them; a guard says so.
bool name_parameters(const Affine &affine, const Workshop &workshop, Program &program, std::vector<std::string> &guards) {
  for (const auto &[monomial, name] : affine.names()) {
    std::string text, product;
    for (const std::string &symbol : monomial) {
      const Leaf *leaf = workshop.model.leaf(symbol);
      if (!leaf || leaf->element.category != "integer" || !is_path(symbol)) return false;
      text += fmt::format("{}static_cast<{}>({})", text.empty() ? "" : " * ", program.type, symbol);
      product += (product.empty() ? "" : " * ") + symbol;
    }
    guards.push_back(fmt::format("{} >= -{} and {} <= {}", product, largest_parameter, product, largest_parameter));
    program.parameters.emplace_back(name, text);
  }
  program.table.context = affine.parameters() + "{ : }";
  return true;
}

std::string coordinate_type(const Instances &instances) {
  for (const Unit &unit : instances.units)
    for (const Node *loop : unit.loops)
      if (loop->type != "int") return "long";
  return "int";
}

// Loops beside each other are what the techniques for single nests cannot bring together.
bool holds_neighbours(std::span<const Node> list) {
  const auto is_loop = [](const Node &node) { return node.kind == Node::Kind::Loop; };
  return std::count_if(list.begin(), list.end(), is_loop) > 1 ||
         std::any_of(list.begin(), list.end(), [](const Node &node) { return holds_neighbours(node.body); });
}

void name_helpers(const Workshop &workshop, Timetable &table) {
  for (int i = 0; i < 12; ++i) table.iterators.push_back(workshop.names.fresh("c" + std::to_string(i)));
  table.least = workshop.names.fresh("least");
  table.most = workshop.names.fresh("most");
  table.floor = workshop.names.fresh("rounded_down");
}

std::string title(Fusion fusion, const TileSizes &tiles) {
  if (tiles.first != 0) return "loop fusion and tiling over time steps";
  return fusion == Fusion::Most ? "loop fusion" : "loop distribution";
}

} // namespace

std::optional<Shaped> reschedule(std::span<const Node> run, Fusion fusion, const TileSizes &tiles, const Workshop &workshop) {
  if (!holds_neighbours(run)) return std::nullopt;
  const std::string technique = title(fusion, tiles);
  const int line = run.front().line;
  Program program;
  program.nodes = std::make_shared<const Nodes>(run.begin(), run.end());
  auto instances = instances_of(*program.nodes);
  if (!instances) {
    workshop.refuse(technique, instances.error().message(), line);
    return std::nullopt;
  }
  program.instances = std::move(*instances);
  program.type = coordinate_type(program.instances);
  const Dependences dependences(workshop.model, *program.nodes, {}, workshop.integers);
  Affine affine;
  Legality refusal;
  const auto orders = dependences.orders(affine, refusal);
  if (!orders) {
    workshop.refuse(technique, refusal.reason, refusal.line);
    return std::nullopt;
  }
  Lines domains;
  for (size_t i = 0; i < program.instances.units.size(); ++i) {
    const Place place = program.instances.units[i].place();
    const std::string domain = affine.spell_domain(place, name_variables(place, "i"));
    domains.push_back(fmt::format("{} : {}", program.instances.tuple(i, "i"), domain));
    if (const int loop = contiguous_loop(program.instances.units[i]); loop >= 0)
      program.table.contiguous["S" + std::to_string(i)] = loop;
  }
  const std::vector<Dependences::Order> reuses = dependences.reuses(affine);
  Shaped shaped;
  if (!name_parameters(affine, workshop, program, shaped.guards)) {
    workshop.refuse(technique, "a size is not a plain integer parameter", line);
    return std::nullopt;
  }
  program.table.domain = united(affine, domains);
  program.table.orders = united(affine, relations(*orders, program.instances));
  program.table.reuse = united(affine, relations(reuses, program.instances));
  name_helpers(workshop, program.table);
  auto scan = schedule(program.table, fusion, tiles);
  if (!scan) {
    workshop.refuse(technique, scan.error().message(), line);
    return std::nullopt;
  }
  shaped.loop = &run.front();
  for (const Node &node : run.subspan(1)) shaped.covered.push_back(&node);
  shaped.shape = std::make_unique<Rescheduled>(std::move(program), std::move(*scan));
  shaped.technique = technique;
  shaped.assumed = dependences.assumed();
  return shaped;
}

} // namespace kopt
