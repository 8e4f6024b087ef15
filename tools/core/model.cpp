#include "core/model.h"

#include <algorithm>

namespace kopt {

namespace {

using OptionalPolynomial = std::optional<Polynomial>;

Json optional_json(const OptionalPolynomial &polynomial) { return polynomial ? Json(*polynomial) : Json(nullptr); }

OptionalPolynomial optional_polynomial(const Json &json) {
  if (json.is_null()) return std::nullopt;
  return json.get<Polynomial>();
}

// Text of a key that may be absent or null.
std::string text_of(const Json &json, const char *key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? std::string() : found->get<std::string>();
}

Json json_of(const Bound &bound) { return {{"text", bound.text}, {"polynomial", optional_json(bound.polynomial)}}; }

Bound bound_of(const Json &json) { return {json.at("text").get<std::string>(), optional_polynomial(json.at("polynomial"))}; }

Json json_of(const Element &element) {
  Json json{{"type", element.type}, {"class", element.category}, {"size", element.size}, {"signed", element.is_signed}};
  for (const Field &field : element.fields)
    json["fields"].push_back({{"path", field.path},
                              {"class", field.category},
                              {"size", field.size},
                              {"offset", field.offset},
                              {"count", field.count}});
  return json;
}

Element element_of(const Json &json) {
  Element element{json.at("type").get<std::string>(),
                  json.at("class").get<std::string>(),
                  json.at("size").get<int>(),
                  json.value("signed", true),
                  {}};
  for (const Json &field : json.value("fields", Json::array()))
    element.fields.push_back({field.at("path").get<std::string>(), field.at("class").get<std::string>(),
                              field.at("size").get<int>(), field.at("offset").get<int>(), field.value("count", 1)});
  return element;
}

Json json_of(const Access &access) {
  Json json;
  json["leaf"] = access.leaf.empty() ? Json(nullptr) : Json(access.leaf);
  json["local"] = access.local;
  json["kind"] = access.kind;
  json["subscripts"] = Json::array();
  for (const auto &subscript : access.subscripts) json["subscripts"].push_back(optional_json(subscript));
  json["text"] = access.text;
  json["type"] = access.type;
  if (!access.why.empty()) json["why"] = access.why;
  if (!access.candidates.empty()) json["candidates"] = access.candidates;
  return json;
}

Access access_of(const Json &json) {
  Access access;
  access.leaf = text_of(json, "leaf");
  access.local = text_of(json, "local");
  access.kind = json.at("kind").get<std::string>();
  for (const Json &subscript : json.at("subscripts")) access.subscripts.push_back(optional_polynomial(subscript));
  access.text = json.at("text").get<std::string>();
  access.type = json.value("type", "");
  access.why = text_of(json, "why");
  access.candidates = json.value("candidates", std::vector<Polynomial>{});
  return access;
}

// What a statement, or a condition or bound that is not affine, reads and writes.
void effects_to_json(Json &json, const Node &node) {
  json["accesses"] = Json::array();
  for (const Access &access : node.accesses) json["accesses"].push_back(json_of(access));
  json["scalars"] = Json::array();
  for (const ScalarUse &use : node.scalars)
    json["scalars"].push_back({{"name", use.name}, {"kind", use.kind}, {"type", use.type}});
  json["calls"] = node.calls;
}

bool has_effects(const Node &node) { return !node.accesses.empty() || !node.scalars.empty() || !node.calls.empty(); }

void effects_from_json(const Json &json, Node &node) {
  for (const Json &access : json.value("accesses", Json::array())) node.accesses.push_back(access_of(access));
  for (const Json &use : json.value("scalars", Json::array()))
    node.scalars.push_back({use.at("name").get<std::string>(), use.at("kind").get<std::string>(), use.value("type", "")});
  node.calls = json.value("calls", std::vector<std::string>{});
}

void statement_to_json(Json &json, const Node &node) {
  json["id"] = node.id;
  json["text"] = node.text;
  json["template"] = node.pattern;
  effects_to_json(json, node);
  json["declares"] = nullptr;
  if (node.declares)
    json["declares"] = {{"name", node.declares->name},
                        {"type", node.declares->type},
                        {"constant", node.declares->constant},
                        {"substituted", node.declares->substituted}};
  json["reduction"] = nullptr;
  if (!node.reduction) return;
  json["reduction"] = {{"operator", node.reduction->op}};
  if (node.reduction->access >= 0)
    json["reduction"]["access"] = node.reduction->access;
  else
    json["reduction"]["scalar"] = node.reduction->scalar;
}

void statement_from_json(const Json &json, Node &node) {
  node.pattern = json.at("template").get<std::string>();
  effects_from_json(json, node);
  if (const Json declares = json.value("declares", Json()); declares.is_object())
    node.declares = Declares{declares.at("name").get<std::string>(), declares.value("type", ""),
                             declares.value("constant", false), declares.value("substituted", false)};
  if (const Json reduction = json.value("reduction", Json()); reduction.is_object())
    node.reduction =
        Reduction{reduction.at("operator").get<std::string>(), reduction.value("access", -1), text_of(reduction, "scalar")};
}

void if_to_json(Json &json, const Node &node) {
  json["id"] = node.id;
  json["condition"] = {{"text", node.condition}, {"constraints", nullptr}};
  if (node.constraints) json["condition"]["constraints"] = *node.constraints;
  if (!node.pattern.empty()) json["template"] = node.pattern;
  if (has_effects(node)) effects_to_json(json, node);
  json["then"] = node.body;
  json["else"] = node.otherwise;
}

void if_from_json(const Json &json, Node &node) {
  const Json &condition = json.at("condition");
  node.condition = condition.at("text").get<std::string>();
  if (const Json constraints = condition.value("constraints", Json()); constraints.is_array())
    node.constraints = constraints.get<std::vector<Polynomial>>();
  node.pattern = text_of(json, "template");
  effects_from_json(json, node);
  node.body = json.at("then").get<std::vector<Node>>();
  node.otherwise = json.value("else", Json::array()).get<std::vector<Node>>();
}

void loop_to_json(Json &json, const Node &node) {
  json["id"] = node.id;
  json["variable"] = node.variable;
  json["type"] = node.type;
  json["lower"] = json_of(node.lower);
  json["upper"] = json_of(node.upper);
  json["step"] = node.step;
  if (node.reverse) json["reverse"] = true;
  json["text"] = node.text;
  if (has_effects(node)) effects_to_json(json, node);
  json["body"] = node.body;
}

void loop_from_json(const Json &json, Node &node) {
  node.variable = json.at("variable").get<std::string>();
  node.type = json.at("type").get<std::string>();
  node.lower = bound_of(json.at("lower"));
  node.upper = bound_of(json.at("upper"));
  node.step = json.at("step").get<long>();
  node.reverse = json.value("reverse", false);
  effects_from_json(json, node);
  node.body = json.at("body").get<std::vector<Node>>();
}

Json json_of(const Closure &closure) {
  Json json{{"text", closure.text},
            {"anchor_offset", closure.anchor_offset},
            {"anchor_length", closure.anchor_length},
            {"kernel_end", closure.kernel_end},
            {"includes", closure.includes},
            {"files", Json::array()},
            {"pieces", closure.pieces}};
  for (const ClosureFile &file : closure.files) json["files"].push_back({{"file", file.file}, {"hash", file.hash}});
  return json;
}

Closure closure_of(const Json &json) {
  Closure closure;
  closure.text = json.at("text").get<std::string>();
  closure.anchor_offset = json.at("anchor_offset").get<long>();
  closure.anchor_length = json.at("anchor_length").get<long>();
  closure.kernel_end = json.at("kernel_end").get<long>();
  closure.includes = json.value("includes", std::vector<std::string>{});
  for (const Json &file : json.at("files"))
    closure.files.push_back({file.at("file").get<std::string>(), file.at("hash").get<std::string>()});
  closure.pieces = json.at("pieces").get<std::vector<Piece>>();
  return closure;
}

} // namespace

void to_json(Json &json, const Leaf &leaf) {
  json = Json{{"path", leaf.path}, {"origin", leaf.origin}, {"kind", leaf.kind}, {"offset", leaf.offset}};
  if (leaf.parameter >= 0) json["parameter"] = leaf.parameter;
  if (!leaf.symbol.empty()) json["symbol"] = leaf.symbol;
  if (!leaf.storage.empty()) json["storage"] = leaf.storage;
  if (!leaf.pointer_type.empty()) json["pointer_type"] = leaf.pointer_type;
  json["element"] = json_of(leaf.element);
  json["count"] = leaf.count;
  json["access"] = leaf.access;
  if (leaf.extent) json["extent"] = *leaf.extent;
}

void from_json(const Json &json, Leaf &leaf) {
  leaf.path = json.at("path").get<std::string>();
  leaf.origin = json.at("origin").get<std::string>();
  leaf.parameter = json.value("parameter", -1);
  leaf.symbol = text_of(json, "symbol");
  leaf.kind = json.at("kind").get<std::string>();
  leaf.offset = json.value("offset", 0);
  leaf.storage = text_of(json, "storage");
  leaf.pointer_type = text_of(json, "pointer_type");
  leaf.element = element_of(json.at("element"));
  leaf.count = json.value("count", 1);
  leaf.access = json.value("access", "unknown");
  if (json.contains("extent") && !json["extent"].is_null()) leaf.extent = json["extent"].get<Extent>();
}

void to_json(Json &json, const Piece &piece) {
  json = Json{{"name", piece.name},     {"kind", piece.kind},     {"file", piece.file}, {"line", piece.line},
              {"offset", piece.offset}, {"length", piece.length}, {"hash", piece.hash}};
}

void from_json(const Json &json, Piece &piece) {
  piece = {json.at("name").get<std::string>(), json.at("kind").get<std::string>(), json.at("file").get<std::string>(),
           json.at("line").get<int>(),         json.value("offset", 0L),           json.at("length").get<long>(),
           json.at("hash").get<std::string>()};
}

void to_json(Json &json, const Anchor &anchor) {
  json = Json{{"file", anchor.file}, {"offset", anchor.offset}, {"length", anchor.length},
              {"line", anchor.line}, {"hash", anchor.hash},     {"text", anchor.text}};
}

void from_json(const Json &json, Anchor &anchor) {
  anchor = {text_of(json, "file"),      json.value("offset", 0L), json.at("length").get<long>(),
            json.at("line").get<int>(), text_of(json, "hash"),    json.at("text").get<std::string>()};
}

void to_json(Json &json, const Parameter &parameter) {
  json = Json{{"name", parameter.name},       {"type", parameter.type},
              {"passing", parameter.passing}, {"object_type", parameter.object_type},
              {"size", parameter.size},       {"alignment", parameter.alignment},
              {"leaves", parameter.leaves}};
}

void from_json(const Json &json, Parameter &parameter) {
  parameter = {json.at("name").get<std::string>(),
               json.at("type").get<std::string>(),
               json.value("passing", "value"),
               text_of(json, "object_type"),
               json.value("size", 0),
               json.value("alignment", 1),
               json.value("leaves", std::vector<int>{})};
}

void to_json(Json &json, const TemplateArgument &argument) {
  json = Json{{"name", argument.name}, {"kind", argument.kind}, {"type", argument.type}, {"text", argument.text}};
}

void from_json(const Json &json, TemplateArgument &argument) {
  argument = {json.at("name").get<std::string>(), json.value("kind", "type"), json.value("type", ""),
              json.at("text").get<std::string>()};
}

void to_json(Json &json, const Node &node) {
  static constexpr const char *kinds[] = {"loop", "if", "statement", "opaque"};
  json = Json{{"kind", kinds[static_cast<int>(node.kind)]}, {"line", node.line}, {"range", {node.begin, node.end}}};
  switch (node.kind) {
  case Node::Kind::Loop:
    return loop_to_json(json, node);
  case Node::Kind::If:
    return if_to_json(json, node);
  case Node::Kind::Statement:
    return statement_to_json(json, node);
  case Node::Kind::Opaque:
    json["text"] = node.text, json["reason"] = node.reason;
  }
}

void from_json(const Json &json, Node &node) {
  node = {};
  const auto kind = json.at("kind").get<std::string>();
  node.line = json.value("line", 0);
  if (json.contains("range")) node.begin = json["range"].at(0).get<long>(), node.end = json["range"].at(1).get<long>();
  node.id = text_of(json, "id");
  node.text = text_of(json, "text");
  node.reason = text_of(json, "reason");
  if (kind == "loop")
    node.kind = Node::Kind::Loop, loop_from_json(json, node);
  else if (kind == "if")
    node.kind = Node::Kind::If, if_from_json(json, node);
  else if (kind == "statement")
    node.kind = Node::Kind::Statement, statement_from_json(json, node);
  else
    node.kind = Node::Kind::Opaque;
}

void to_json(Json &json, const Model &model) {
  json = new_document(Model::format, Model::version);
  json["kernel"] = {{"name", model.name},           {"slug", model.slug},
                    {"target", model.target},       {"platform", model.platform},
                    {"signature", model.signature}, {"return_type", model.return_type},
                    {"linkage", model.linkage},     {"namespaces", model.namespaces},
                    {"file", model.file},           {"line", model.line},
                    {"column", model.column}};
  if (!model.callee.empty()) json["kernel"]["callee"] = model.callee;
  if (!model.sources.empty()) json["kernel"]["sources"] = model.sources;
  if (!model.template_arguments.empty()) json["kernel"]["template_arguments"] = model.template_arguments;
  json["compile"] = {{"compiler", model.compile.compiler},
                     {"directory", model.compile.directory},
                     {"arguments", model.compile.arguments},
                     {"optimizes", model.compile.optimizes},
                     {"macros", model.compile.macros}};
  json["parameters"] = model.parameters;
  json["leaves"] = model.leaves;
  json["anchor"] = model.anchor;
  json["closure"] = json_of(model.closure);
  json["body"] = model.body;
  json["notes"] = Json::array();
  for (const Note &note : model.notes) json["notes"].push_back({{"file", note.file}, {"line", note.line}, {"text", note.text}});
}

void from_json(const Json &json, Model &model) {
  const Json &kernel = json.at("kernel");
  model.name = kernel.at("name").get<std::string>();
  model.slug = kernel.at("slug").get<std::string>();
  model.target = text_of(kernel, "target");
  model.platform = kernel.value("platform", "host");
  model.signature = text_of(kernel, "signature");
  model.return_type = kernel.value("return_type", "void");
  model.linkage = kernel.value("linkage", "external");
  model.namespaces = kernel.value("namespaces", std::vector<std::string>{});
  model.file = text_of(kernel, "file");
  model.line = kernel.value("line", 0);
  model.column = kernel.value("column", 0);
  model.callee = text_of(kernel, "callee");
  model.sources = kernel.value("sources", std::vector<std::string>{});
  if (model.sources.empty() && !model.file.empty()) model.sources = {model.file};
  model.template_arguments = kernel.value("template_arguments", std::vector<TemplateArgument>{});
  const Json &compile = json.at("compile");
  model.compile = {text_of(compile, "compiler"), text_of(compile, "directory"),
                   compile.value("arguments", std::vector<std::string>{}), compile.value("optimizes", true),
                   compile.value("macros", std::map<std::string, std::string>{})};
  model.parameters = json.at("parameters").get<std::vector<Parameter>>();
  model.leaves = json.at("leaves").get<std::vector<Leaf>>();
  model.anchor = json.at("anchor").get<Anchor>();
  model.closure = closure_of(json.at("closure"));
  model.body = json.at("body").get<std::vector<Node>>();
  model.notes.clear();
  for (const Json &note : json.value("notes", Json::array()))
    model.notes.push_back({text_of(note, "file"), note.value("line", 0), text_of(note, "text")});
}

const Leaf *Model::leaf(const std::string &path) const {
  const auto found = std::find_if(leaves.begin(), leaves.end(), [&](const Leaf &candidate) { return candidate.path == path; });
  return found == leaves.end() ? nullptr : &*found;
}

std::string Model::called() const {
  if (!callee.empty()) return callee;
  std::size_t begin = 0, end = name.size();
  int depth = 0;
  for (std::size_t k = 0; k < name.size(); ++k) {
    if (name[k] == '<') ++depth;
    if (name[k] == '>') --depth;
    if (depth == 0 && name[k] == '(' && name.compare(k, 11, "(anonymous ") != 0) {
      end = k;
      break;
    }
    if (depth == 0 && name.compare(k, 2, "::") == 0) begin = k + 2;
  }
  return name.substr(begin, end - begin);
}

Result<Model> read_model(const Disk &disk, const fs::path &path) {
  if (!disk.exists(path)) return fail("no model", path.string(), "run `kopt extract` (ninja kopt-extract) first");
  KOPT_TRY(json, read_document(disk, path, Model::format, Model::version));
  return decode<Model>(json, path.string());
}

Result<void> write_model(Disk &disk, const fs::path &path, const Model &model) {
  return write_document(disk, path, Json(model));
}

} // namespace kopt
