#include "propose/rules/parallel.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

const char *const technique = "parallel loops";
const std::vector<std::string> chunk_counts{"64", "16", "256"}, least_work{"20000", "2000", "200000"};

bool is_floating(const std::string &type) { return type == "double" || type == "float" || type == "long double"; }

std::string without_const(std::string type) {
  if (type.starts_with("const ")) type.erase(0, 6);
  return type;
}

// Scalars declared ahead of the nest that its statements reduce into.
std::vector<Total> totals_of(const Node &root) {
  std::set<std::string> declared;
  std::vector<Total> totals;
  visit(Nodes{root}, [&](const Node &node) {
    if (node.declares) declared.insert(node.declares->name);
  });
  visit(Nodes{root}, [&](const Node &node) {
    if (!node.reduction || node.reduction->scalar.empty() || declared.contains(node.reduction->scalar)) return;
    const std::string &scalar = node.reduction->scalar;
    if (std::any_of(totals.begin(), totals.end(), [&](const Total &total) { return total.scalar == scalar; })) return;
    for (const ScalarUse &use : node.scalars)
      if (use.name == scalar) return totals.push_back({scalar, without_const(use.type), node.reduction->op});
  });
  return totals;
}

// One operator for each total, and nothing else reads it.
bool are_private(const Node &root, const std::vector<Total> &totals) {
  bool all = true;
  visit(Nodes{root}, [&](const Node &node) {
    for (const Total &total : totals) {
      const bool own = node.reduction && node.reduction->scalar == total.scalar;
      if (own) all = all && node.reduction->op == total.op;
      if (!own && node.kind != Node::Kind::Loop)
        all = all && !words_in(node.text + "\n" + node.condition).contains(total.scalar);
      if (node.kind == Node::Kind::Loop)
        all = all && !words_in(node.lower.text + "\n" + node.upper.text).contains(total.scalar);
    }
  });
  return all;
}

// Steps of a reduction into an array element are kept in order: only totals get a copy in each chunk.
Nodes with_ordered_elements(const Node &root) {
  Nodes nodes{root};
  visit(nodes, [](Node &node) {
    if (node.reduction && node.reduction->scalar.empty()) node.reduction.reset();
  });
  return nodes;
}

// Whether the loop may as well run backwards: then it carries no dependence.
Legality reversed(const Nodes &nodes, const std::string &id, const Dependences &dependences) {
  Nodes backwards = nodes;
  visit(backwards, [&](Node &node) {
    if (node.id == id && node.kind == Node::Kind::Loop) node.reverse = !node.reverse;
  });
  return dependences.legal(backwards);
}

// Trip counts of the loops inside that are the same for all iterations, multiplied.
std::string work_of(const Node &root, const Nodes &body, std::set<std::string> variables) {
  for (const Node &node : body)
    if (node.kind == Node::Kind::Loop) {
      variables.insert(node.variable);
      const std::string inner = work_of(root, node.body, variables);
      if (!bounds_free_of(node, variables)) return inner;
      return fmt::format(" * (static_cast<double>({}) - static_cast<double>({})){}", node.upper.text, node.lower.text, inner);
    }
  return "";
}

bool is_uneven(const Node &root) {
  bool uneven = false;
  visit(root.body, [&](const Node &node) {
    if (node.kind == Node::Kind::Loop) uneven = uneven || !bounds_free_of(node, {root.variable});
  });
  return uneven;
}

// `#pragma omp parallel for ...` with the size from which threads are worth their start.
std::string pragma(const Parallel &parallel, const std::string &count, const std::string &macro, const std::string &clause) {
  return fmt::format("#pragma omp parallel for{} schedule({}) if (static_cast<double>({}){} >= {})", clause,
                     parallel.is_uneven ? "dynamic" : "static", count, parallel.work, macro);
}

class Chunks final : public Shape {
public:
  Chunks(Parallel parallel, std::unique_ptr<Shape> inner, std::string lower, std::string upper, std::string chunks,
         std::string from)
      : parallel_(std::move(parallel)), inner_(std::move(inner)), lower_(std::move(lower)), upper_(std::move(upper)),
        chunks_(std::move(chunks)), from_(std::move(from)) {}

  void write(Writer &writer) const override {
    const Node &loop = *parallel_.loop;
    const std::string count = writer.fresh(loop.variable + "_count"), chunk = writer.fresh("chunk");
    writer.line("// Parallel: chunks of iterations, each run by one thread.");
    writer.open("");
    writer.line(
        fmt::format("const long long {0} = {1} < {2} ? static_cast<long long>(({2}) - ({1})) : 0;", count, lower_, upper_));
    std::vector<std::string> parts;
    for (const Total &total : parallel_.totals) parts.push_back(declare(writer, total));
    writer.line(pragma(parallel_, count, from_, ""));
    writer.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0})", chunk, chunks_));
    const auto bound = [&](const std::string &name, const std::string &number) {
      writer.line(fmt::format("const {} {} = {} + static_cast<{}>({} * {} / {});", loop.type, name, lower_, loop.type, count,
                              number, chunks_));
    };
    bound(loop.lower.text, chunk);
    bound(loop.upper.text, "(" + chunk + " + 1)");
    for (size_t i = 0; i < parts.size(); ++i)
      writer.line(fmt::format("{} {} = {};", parallel_.totals[i].type, parallel_.totals[i].scalar,
                              start_of(parallel_.totals[i], parts[i])));
    if (inner_)
      inner_->write(writer);
    else
      writer.loop(loop);
    for (size_t i = 0; i < parts.size(); ++i)
      writer.line(fmt::format("{}[{}] = {};", parts[i], chunk, parallel_.totals[i].scalar));
    writer.close();
    for (size_t i = 0; i < parts.size(); ++i) combine(writer, parallel_.totals[i], parts[i], chunk);
    writer.close();
  }

private:
  Parallel parallel_;
  std::unique_ptr<Shape> inner_;
  std::string lower_, upper_, chunks_, from_;

  std::string declare(Writer &writer, const Total &total) const {
    std::string name = writer.fresh(total.scalar + "_part");
    writer.line(fmt::format("{} {}[{}];", total.type, name, chunks_));
    if (total.op == "min" || total.op == "max")
      writer.line(fmt::format("const {} {}_start = {};", total.type, name, total.scalar));
    return name;
  }
  static std::string start_of(const Total &total, const std::string &part) {
    if (total.op == "+") return "0";
    return total.op == "*" ? "1" : part + "_start";
  }
  void combine(Writer &writer, const Total &total, const std::string &part, const std::string &chunk) const {
    const std::string head = fmt::format("for (int {0} = 0; {0} < {1}; ++{0})", chunk, chunks_),
                      value = fmt::format("{}[{}]", part, chunk);
    const std::string &scalar = total.scalar;
    if (total.op == "max") return writer.line(fmt::format("{0} if ({1} < {2}) {1} = {2};", head, scalar, value));
    if (total.op == "min") return writer.line(fmt::format("{0} if ({2} < {1}) {1} = {2};", head, scalar, value));
    writer.line(fmt::format("{} {} {}= {};", head, scalar, total.op, value));
  }
};

class Collapsed final : public Shape {
public:
  Collapsed(Parallel parallel, std::string from) : parallel_(std::move(parallel)), from_(std::move(from)) {}

  void write(Writer &writer) const override {
    const Node &outer = *parallel_.loop, &inner = outer.body.front();
    const std::string count = fmt::format("{}) - static_cast<double>({}", outer.upper.text, outer.lower.text);
    writer.line("// Parallel: the iterations of both loops are dealt out to threads.");
    writer.line(pragma(parallel_, count, from_, " collapse(2)"));
    writer.open(loop_head(outer, outer.lower.text, outer.upper.text));
    writer.open(loop_head(inner, inner.lower.text, inner.upper.text));
    writer.nodes(inner.body);
    writer.close();
    writer.close();
  }

private:
  Parallel parallel_;
  std::string from_;
};

} // namespace

bool Parallel::changes_rounding() const {
  return std::any_of(totals.begin(), totals.end(),
                     [](const Total &total) { return is_floating(total.type) && (total.op == "+" || total.op == "*"); });
}

std::optional<Parallel> parallel(const Nest &nest, const Workshop &workshop) {
  Node &root = nest.root();
  if (!can_be_cut(root)) return std::nullopt;
  Parallel found;
  found.loop = &root;
  found.totals = totals_of(root);
  if (!are_private(root, found.totals)) found.totals.clear(); // then they are ordinary scalars, and a dependence
  const Nodes nodes = with_ordered_elements(root);
  const Dependences dependences(workshop.model, nodes, nest.context, workshop.integers);
  const Legality legality = reversed(nodes, root.id, dependences);
  if (!legality.legal || (legality.reorders_reduction && found.totals.empty())) {
    workshop.refuse(technique, legality.legal ? "its totals are used inside" : legality.reason,
                    legality.legal ? root.line : legality.line);
    return std::nullopt;
  }
  found.work = work_of(root, root.body, {root.variable});
  found.is_uneven = is_uneven(root);
  found.assumed = dependences.assumed();
  return found;
}

Shaped in_chunks(const Parallel &parallel, std::unique_ptr<Shape> inner, const Workshop &workshop) {
  Node &loop = *parallel.loop;
  const std::string lower = loop.lower.text, upper = loop.upper.text;
  const std::string first = workshop.names.fresh(loop.variable + "_first"),
                    last = workshop.names.fresh(loop.variable + "_last");
  const std::string chunks = workshop.names.fresh("KOPT_CHUNKS"), from = workshop.names.fresh("KOPT_PARALLEL_FROM");
  loop.lower = {first, Polynomial::symbol(first)};
  loop.upper = {last, Polynomial::symbol(last)};
  loop.text = loop_head(loop, first, last);
  Shaped shaped;
  shaped.loop = &loop;
  shaped.shape = std::make_unique<Chunks>(parallel, std::move(inner), lower, upper, chunks, from);
  shaped.technique = technique;
  shaped.reorders_reduction = parallel.changes_rounding();
  shaped.assumed = parallel.assumed;
  shaped.tunables = {{chunks, chunk_counts}, {from, least_work}};
  return shaped;
}

std::optional<Shaped> collapsed(const Parallel &parallel, const Nest &nest, const Workshop &workshop) {
  const Node &root = nest.root();
  if (!parallel.totals.empty() || root.body.size() != 1 || root.body.front().kind != Node::Kind::Loop) return std::nullopt;
  const Node &inner = root.body.front();
  if (!can_be_cut(inner) || !bounds_free_of(inner, {root.variable})) return std::nullopt;
  const Nodes nodes = with_ordered_elements(root);
  const Dependences dependences(workshop.model, nodes, nest.context, workshop.integers);
  const Legality legality = reversed(nodes, inner.id, dependences);
  if (!legality.legal || legality.reorders_reduction) return std::nullopt;
  const std::string from = workshop.names.fresh("KOPT_PARALLEL_FROM");
  Shaped shaped;
  shaped.loop = &root;
  shaped.shape = std::make_unique<Collapsed>(parallel, from);
  shaped.technique = technique;
  shaped.assumed = parallel.assumed;
  shaped.assumed.insert(dependences.assumed().begin(), dependences.assumed().end());
  shaped.tunables = {{from, least_work}};
  return shaped;
}

} // namespace kopt
