// kopt explain: prints a model for a person.
#include "core/case.h"
#include "core/model.h"
#include "kopt/verb.h"
#include "mep/sizing.h"
#include "report/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace kopt {
namespace {

struct Request {
  std::string model;
  bool json = false;
};

std::string joined(const std::vector<std::string> &words, const std::string &separator) {
  std::string text;
  for (const std::string &word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

void print_head(const Model &model) {
  fmt::print("kernel    {}\n", model.signature);
  fmt::print("target    {} ({}, {} linkage)\n", model.target, model.platform, model.linkage);
  fmt::print("defined   {}:{}\n", model.file, model.line);
  fmt::print("compiled  {} {}\n", model.compile.compiler, joined(model.compile.arguments, " "));
  if (!model.compile.optimizes) fmt::print("          warning: these flags do not optimize\n");
  for (const auto &[name, value] : model.compile.macros) fmt::print("macro     {} = {} on the command line\n", name, value);
}

void print_closure(const Closure &closure) {
  const auto lines = std::count(closure.text.begin(), closure.text.end(), '\n');
  fmt::print("\nclosure: {} pieces of {} files, {} lines{}\n", closure.pieces.size(), closure.files.size(), lines,
             closure.includes.empty() ? "" : ", includes " + joined(closure.includes, " "));
  for (const Piece &piece : closure.pieces)
    fmt::print("  {:<9} {:<32} {}:{}\n", piece.kind, piece.name, piece.file, piece.line);
}

void print_leaves(const std::vector<Leaf> &leaves) {
  fmt::print("\nleaves: what it is called with\n");
  for (const Leaf &leaf : leaves) {
    std::string type = leaf.element.type;
    if (leaf.is_pointer()) type += " [" + (leaf.extent ? leaf.extent->shown() : "?") + "]";
    if (leaf.count > 1) type += " x " + std::to_string(leaf.count);
    fmt::print("  {:<20} {:<40} {:<10} {}\n", leaf.path, type, leaf.access, leaf.origin == "global" ? "global" : "");
  }
}

// Captured cases, with what each stands for; nothing where there are none.
void print_cases(const Disk &disk, const fs::path &path) {
  const auto document = read_document(disk, path, "kopt-cases", cases_version);
  if (!document) return;
  fmt::print("\ncases captured from the application\n");
  for (const Json &kase : document->value("cases", Json::array())) {
    std::size_t bytes = 0;
    for (const Json &buffer : kase.value("buffers", Json::array())) bytes += buffer.value("bytes", std::size_t{0});
    const bool held_out = kase.value("held_out", false);
    fmt::print("  {:<20} {:<22} {:<10} {:.3g} MB\n", kase.value("name", ""),
               held_out ? "held out" : fmt::format("{:.3g} % of its time", 100 * kase.value("weight", 1.0)),
               time_text(kase.value("nanoseconds", 0.0)), static_cast<double>(bytes) / 1e6);
  }
}

void print_sizing(const Model &model) {
  const Sizing sizing = sizing_of(model);
  std::vector<std::string> paths;
  for (const std::size_t k : sizing.scalars) paths.push_back(model.leaves[k].path);
  if (sizing.why_fixed.empty())
    fmt::print("held-out cases at other sizes vary {}\n", joined(paths, ", "));
  else
    fmt::print("no held-out cases at other sizes: {}\n", sizing.why_fixed);
}

std::string subscripts_of(const Access &access) {
  std::string text;
  for (const auto &subscript : access.subscripts) text += "[" + (subscript ? subscript->text() : "?") + "]";
  return text;
}

void print_nodes(const std::vector<Node> &nodes, int depth);

void print_access(const Access &access, const std::string &indent) {
  const std::string object = !access.leaf.empty() ? access.leaf : !access.local.empty() ? access.local : "unknown object";
  fmt::print("{}  {} {}{}{}\n", indent, access.kind, object, subscripts_of(access),
             access.why.empty() ? "" : "  (" + access.why + ")");
}

void print_node(const Node &node, int depth) {
  const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
  const auto bound = [](const Bound &value) { return value.polynomial ? value.polynomial->text() : "(" + value.text + ")"; };
  switch (node.kind) {
  case Node::Kind::Loop:
    fmt::print("{}{} loop {} from {} to {}{}{}\n", indent, node.id, node.variable, bound(node.lower), bound(node.upper),
               node.step == 1 ? "" : " step " + std::to_string(node.step), node.reverse ? ", downward" : "");
    print_nodes(node.body, depth + 1);
    break;
  case Node::Kind::If:
    fmt::print("{}{} if {}{}\n", indent, node.id, node.condition, node.constraints ? "" : "  (not affine)");
    print_nodes(node.body, depth + 1);
    if (!node.otherwise.empty()) fmt::print("{}else\n", indent);
    print_nodes(node.otherwise, depth + 1);
    break;
  case Node::Kind::Statement:
    fmt::print("{}{} {}{}\n", indent, node.id, node.text, node.reduction ? "  (reduction " + node.reduction->op + ")" : "");
    for (const Access &access : node.accesses) print_access(access, indent);
    break;
  case Node::Kind::Opaque:
    fmt::print("{}opaque, line {}: {}\n", indent, node.line, node.reason);
    break;
  }
}

void print_nodes(const std::vector<Node> &nodes, int depth) {
  for (const Node &node : nodes) print_node(node, depth);
}

void print(const Disk &disk, const Model &model, const fs::path &path) {
  print_head(model);
  print_closure(model.closure);
  print_leaves(model.leaves);
  print_cases(disk, path.parent_path() / "cases" / "cases.json");
  print_sizing(model);
  fmt::print("\nbody\n");
  print_nodes(model.body, 1);
  if (!model.notes.empty()) fmt::print("\nnotes\n");
  for (const Note &note : model.notes) fmt::print("  {}:{}: {}\n", note.file, note.line, note.text);
}

void run(Context &context, const Request &request) {
  const auto model = read_model(context.disk, request.model);
  if (!model) return report_error(context, model.error());
  if (request.json)
    fmt::print("{}\n", Json(*model).dump(2));
  else
    print(context.disk, *model, request.model);
}

} // namespace

void add_explain(CLI::App &app, Context &context) {
  auto request = std::make_shared<Request>();
  auto *verb = app.add_subcommand("explain", "Print what is known about a kernel");
  verb->add_option("model", request->model, "model.json, or its folder")->required();
  verb->add_flag("--json", request->json, "print the document itself");
  verb->callback([&context, request] {
    if (const fs::path inside = fs::path(request->model) / "model.json"; context.disk.exists(inside))
      request->model = inside.string();
    run(context, *request);
  });
}

} // namespace kopt
