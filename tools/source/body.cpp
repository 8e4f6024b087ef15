#include "source/body.h"

#include "source/body_extent.h"
#include "source/body_loop.h"
#include "source/body_mentions.h"
#include "source/body_reduction.h"

#include <algorithm>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/StmtCXX.h>
#include <span>

namespace kopt {

namespace body {

namespace {

using Statements = std::span<const clang::Stmt *const>;

const clang::Stmt *single(const clang::Stmt *statement) {
  while (true) {
    if (const auto *block = llvm::dyn_cast<clang::CompoundStmt>(statement); block && block->size() == 1)
      statement = block->body_front();
    else if (const auto *attributed = llvm::dyn_cast<clang::AttributedStmt>(statement))
      statement = attributed->getSubStmt();
    else
      return statement;
  }
}

std::string name_of(const clang::Stmt &statement) {
  if (llvm::isa<clang::WhileStmt>(statement)) return "while loop";
  if (llvm::isa<clang::DoStmt>(statement)) return "do loop";
  if (llvm::isa<clang::CXXForRangeStmt>(statement)) return "range-based for loop";
  if (llvm::isa<clang::SwitchStmt>(statement)) return "switch";
  if (llvm::isa<clang::BreakStmt>(statement)) return "break";
  if (llvm::isa<clang::ReturnStmt>(statement)) return "early return";
  if (llvm::isa<clang::ContinueStmt>(statement)) return "continue";
  if (llvm::isa<clang::GotoStmt, clang::LabelStmt, clang::IndirectGotoStmt>(statement)) return "goto";
  if (llvm::isa<clang::AsmStmt>(statement)) return "inline assembly";
  if (llvm::isa<clang::CXXTryStmt>(statement)) return "try block";
  const std::string name = statement.getStmtClassName();
  return name.starts_with("OMP") ? "OpenMP directive" : name;
}

class Builder {
public:
  explicit Builder(Kernel &kernel) : kernel_(kernel) {}

  // Where the list stands decides what may be modelled as an `if` around the rest: `continue` in a loop's body, `return` in the
  // function's.
  enum class List { Block, LoopBody, FunctionBody };
  std::vector<Node> list(Statements statements, List where);
  std::vector<Node> list_of(const clang::Stmt &statement, List where);

private:
  void add(const clang::Stmt &statement, std::vector<Node> &nodes);
  bool add_guard(const clang::Stmt &statement, Statements rest, List where, std::vector<Node> &nodes);
  void add_loop(const clang::ForStmt &statement, std::vector<Node> &nodes);
  void add_condition(const clang::IfStmt &statement, std::vector<Node> &nodes);
  void add_extremum(const clang::IfStmt &statement, const clang::BinaryOperator &assignment, std::vector<Node> &nodes);
  void add_declarations(const clang::DeclStmt &statement, std::vector<Node> &nodes);
  void add_variable(const clang::VarDecl &variable, const clang::DeclStmt &statement, std::vector<Node> &nodes);
  void add_expression(const clang::Expr &expression, std::vector<Node> &nodes);
  void add_return(const clang::ReturnStmt &statement, std::vector<Node> &nodes);
  void add_opaque(const clang::Stmt &statement, const std::string &reason, std::vector<Node> &nodes);
  void finish(Scan &scan, const clang::Stmt &statement, Node node, std::vector<Node> &nodes);
  bool scan_condition(const clang::Expr &condition, bool negated, Node &node, std::string &why);
  Node node_at(Node::Kind kind, Range range) const;

  Kernel &kernel_;
  Purity purity_;
};

Node Builder::node_at(Node::Kind kind, Range range) const {
  Node node;
  node.kind = kind;
  node.begin = range.begin, node.end = range.end;
  node.line = kernel_.line(range.begin);
  node.text = kernel_.source.text(range);
  return node;
}

std::vector<Node> Builder::list_of(const clang::Stmt &statement, List where) {
  if (const auto *block = llvm::dyn_cast<clang::CompoundStmt>(&statement))
    return list(Statements(block->body_begin(), block->body_end()), where);
  const clang::Stmt *one = &statement;
  return list(Statements(&one, 1), where);
}

std::vector<Node> Builder::list(Statements statements, List where) {
  std::vector<Node> nodes;
  for (size_t k = 0; k < statements.size(); ++k) {
    if (add_guard(*statements[k], statements.subspan(k + 1), where, nodes)) break;
    const auto *result = llvm::dyn_cast<clang::ReturnStmt>(statements[k]);
    if (!result || where != List::FunctionBody)
      add(*statements[k], nodes);
    else if (result->getRetValue())
      add_return(*result, nodes);
  }
  return nodes;
}

void Builder::add(const clang::Stmt &statement, std::vector<Node> &nodes) {
  if (llvm::isa<clang::NullStmt>(statement)) return;
  if (const auto *attributed = llvm::dyn_cast<clang::AttributedStmt>(&statement)) return add(*attributed->getSubStmt(), nodes);
  if (const auto *block = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
    for (const clang::Stmt *inner : block->body()) add(*inner, nodes);
    return;
  }
  if (!kernel_.source.written(statement.getSourceRange()).valid()) return add_opaque(statement, "part of a macro", nodes);
  if (const std::string name = kernel_.shadowed_name(statement);
      !name.empty() && !llvm::isa<clang::ForStmt, clang::IfStmt>(statement))
    return add_opaque(statement, "the name " + name + " is declared twice", nodes);
  if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(&statement)) return add_loop(*loop, nodes);
  if (const auto *condition = llvm::dyn_cast<clang::IfStmt>(&statement)) return add_condition(*condition, nodes);
  if (const auto *declarations = llvm::dyn_cast<clang::DeclStmt>(&statement)) return add_declarations(*declarations, nodes);
  if (const auto *expression = llvm::dyn_cast<clang::Expr>(&statement)) {
    // GNU's `({ ... })` whose value nobody uses is a block.
    if (const auto *block = llvm::dyn_cast<clang::StmtExpr>(expression->IgnoreParens()))
      return add(*block->getSubStmt(), nodes);
    return add_expression(*expression, nodes);
  }
  add_opaque(statement, name_of(statement), nodes);
}

// `if (c) continue;` and an early return, together with what follows them.
bool Builder::add_guard(const clang::Stmt &statement, Statements rest, List where, std::vector<Node> &nodes) {
  const auto *condition = llvm::dyn_cast<clang::IfStmt>(&statement);
  if (where == List::Block || !condition || condition->getElse() || condition->hasInitStorage() || condition->hasVarStorage())
    return false;
  const clang::Stmt *then = single(condition->getThen());
  const bool leaves = where == List::LoopBody ? llvm::isa<clang::ContinueStmt>(then) : llvm::isa<clang::ReturnStmt>(then);
  const Range range = kernel_.source.written(statement.getSourceRange());
  if (!leaves || !range.valid() || !kernel_.shadowed_name(*condition->getCond()).empty()) return false;

  Node node = node_at(Node::Kind::If, range);
  const auto *result = llvm::dyn_cast<clang::ReturnStmt>(then);
  const bool keeps = result && result->getRetValue();
  std::string why;
  if (!scan_condition(*condition->getCond(), !keeps, node, why)) return false;
  if (keeps) add_return(*result, node.body);
  (keeps ? node.otherwise : node.body) = list(rest, where);
  if (!rest.empty()) node.end = kernel_.source.with_semicolon(kernel_.source.expanded(rest.back()->getSourceRange())).end;
  node.text.clear();
  nodes.push_back(std::move(node));
  return true;
}

bool Builder::scan_condition(const clang::Expr &condition, bool negated, Node &node, std::string &why) {
  node.constraints = constraints(kernel_, &condition, negated);
  const std::string text = kernel_.source.text(condition);
  node.condition = negated ? "!(" + text + ")" : text;
  if (node.constraints) return true;
  Scan scan(kernel_, purity_);
  scan.value(&condition);
  why = scan.refusal();
  if (!why.empty()) return false;
  Node effects;
  scan.finish(effects, kernel_.source.expanded(condition.getSourceRange()));
  node.accesses = std::move(effects.accesses);
  node.scalars = std::move(effects.scalars);
  node.calls = std::move(effects.calls);
  node.pattern = negated ? "!(" + effects.pattern + ")" : effects.pattern;
  return true;
}

// Whether anything in `nodes` may change what `bound` reads.
bool changes(const std::vector<Node> &nodes, const Node &bound) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node &node) {
    if (node.kind == Node::Kind::Opaque || changes(node.body, bound) || changes(node.otherwise, bound)) return true;
    for (const Access &access : node.accesses)
      for (const Access &read : bound.accesses)
        if (access.writes() && ((access.leaf == read.leaf && access.local == read.local) ||
                                (access.leaf + access.local).empty() || (read.leaf + read.local).empty()))
          return true;
    for (const ScalarUse &use : node.scalars)
      for (const ScalarUse &read : bound.scalars)
        if (use.kind != "read" && use.name == read.name) return true;
    return false;
  });
}

void Builder::add_loop(const clang::ForStmt &statement, std::vector<Node> &nodes) {
  const auto header_shadow = [&]() -> std::string {
    for (const clang::Stmt *part : {statement.getInit(), static_cast<const clang::Stmt *>(statement.getCond()),
                                    static_cast<const clang::Stmt *>(statement.getInc())})
      if (part)
        if (const std::string name = kernel_.shadowed_name(*part); !name.empty()) return name;
    return {};
  }();
  if (!header_shadow.empty()) return add_opaque(statement, "the name " + header_shadow + " is declared twice", nodes);
  if (statement.getConditionVariable()) return add_opaque(statement, "a loop that declares a variable in its condition", nodes);
  const auto loop = loop_of(kernel_, statement);
  if (!loop) return add_opaque(statement, loop.error(), nodes);

  const Range range = kernel_.source.written(statement.getSourceRange());
  Node node = node_at(Node::Kind::Loop, kernel_.source.with_semicolon(range));
  const long body = kernel_.source.offset(statement.getBody()->getBeginLoc());
  node.text = kernel_.source.text({range.begin, body});
  node.text.erase(node.text.find_last_not_of(" \t\r\n") + 1);
  node.variable = loop->variable->getNameAsString();
  node.type = kernel_.spelled(loop->variable->getType().getUnqualifiedType());
  node.lower = loop->lower, node.upper = loop->upper, node.step = loop->step, node.reverse = loop->reverse;
  Scan scan(kernel_, purity_);
  for (const clang::Expr *bound : loop->unknown) scan.value(bound);
  if (!scan.refusal().empty()) return add_opaque(statement, "a loop bound: " + scan.refusal(), nodes);
  Node effects;
  scan.finish(effects, range);
  node.accesses = std::move(effects.accesses), node.scalars = std::move(effects.scalars), node.calls = std::move(effects.calls);

  kernel_.loops.push_back(loop->variable);
  node.body = list_of(*statement.getBody(), List::LoopBody);
  kernel_.loops.pop_back();
  if (changes(node.body, node) && (!node.accesses.empty() || !node.scalars.empty()))
    return add_opaque(statement, "a loop bound that may change in the loop", nodes);
  nodes.push_back(std::move(node));
}

// The value of a condition over constants: `if (scheme == UPWIND)` where both are known.
std::optional<bool> always(const clang::ASTContext &context, const clang::Expr &condition) {
  bool value = false;
  if (condition.isValueDependent() || condition.HasSideEffects(context) ||
      !condition.EvaluateAsBooleanCondition(value, context))
    return std::nullopt;
  return value;
}

void Builder::add_condition(const clang::IfStmt &statement, std::vector<Node> &nodes) {
  if (statement.hasInitStorage() || statement.hasVarStorage())
    return add_opaque(statement, "an if that declares a variable", nodes);
  if (const std::string name = kernel_.shadowed_name(*statement.getCond()); !name.empty())
    return add_opaque(statement, "the name " + name + " is declared twice", nodes);
  if (const auto taken = always(kernel_.context, *statement.getCond())) {
    const clang::Stmt *branch = *taken ? statement.getThen() : statement.getElse();
    if (branch) add(*branch, nodes);
    return;
  }
  if (const auto *assignment = extremum_assignment(kernel_, statement)) return add_extremum(statement, *assignment, nodes);
  Node node = node_at(Node::Kind::If, kernel_.source.with_semicolon(kernel_.source.written(statement.getSourceRange())));
  std::string why;
  if (!scan_condition(*statement.getCond(), false, node, why)) return add_opaque(statement, why, nodes);
  node.body = list_of(*statement.getThen(), List::Block);
  if (statement.getElse()) node.otherwise = list_of(*statement.getElse(), List::Block);
  node.text.clear();
  nodes.push_back(std::move(node));
}

// `if (x > m) m = x;` as one statement.
void Builder::add_extremum(const clang::IfStmt &statement, const clang::BinaryOperator &assignment, std::vector<Node> &nodes) {
  Scan scan(kernel_, purity_);
  scan.value(statement.getCond());
  scan.set_conditional();
  scan.value(assignment.getRHS());
  scan.use(assignment.getLHS(), "write");
  if (!scan.refusal().empty()) return add_opaque(statement, scan.refusal(), nodes);
  Node node = node_at(Node::Kind::Statement, {});
  scan.finish(node, kernel_.source.with_semicolon(kernel_.source.written(statement.getSourceRange())));
  node.line = kernel_.line(node.begin);
  node.reduction = reduction_of(kernel_, statement, node);
  nodes.push_back(std::move(node));
}

void Builder::finish(Scan &scan, const clang::Stmt &statement, Node node, std::vector<Node> &nodes) {
  if (!scan.refusal().empty()) return add_opaque(statement, scan.refusal(), nodes);
  scan.finish(node, kernel_.source.with_semicolon(kernel_.source.written(statement.getSourceRange())));
  node.line = kernel_.line(node.begin);
  nodes.push_back(std::move(node));
}

void Builder::add_expression(const clang::Expr &expression, std::vector<Node> &nodes) {
  Scan scan(kernel_, purity_);
  scan.value(&expression);
  const size_t before = nodes.size();
  finish(scan, expression, node_at(Node::Kind::Statement, {}), nodes);
  if (nodes.size() > before && nodes.back().kind == Node::Kind::Statement)
    nodes.back().reduction = reduction_of(kernel_, expression, nodes.back());
}

void Builder::add_return(const clang::ReturnStmt &statement, std::vector<Node> &nodes) {
  Scan scan(kernel_, purity_);
  if (statement.getRetValue()) scan.value(statement.getRetValue());
  finish(scan, statement, node_at(Node::Kind::Statement, {}), nodes);
}

void Builder::add_declarations(const clang::DeclStmt &statement, std::vector<Node> &nodes) {
  std::vector<Node> declared;
  for (const clang::Decl *declaration : statement.decls()) {
    if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
      add_variable(*variable, statement, declared);
      if (declared.back().kind != Node::Kind::Opaque) continue;
      nodes.push_back(std::move(declared.back())); // all of the declaration, or nothing of it
      return;
    }
    if (!llvm::isa<clang::TypedefNameDecl, clang::UsingDecl, clang::UsingDirectiveDecl, clang::StaticAssertDecl>(declaration))
      return add_opaque(statement, "a local type or function", nodes);
    Scan scan(kernel_, purity_);
    return finish(scan, statement, node_at(Node::Kind::Statement, {}), nodes);
  }
  for (Node &node : declared) nodes.push_back(std::move(node));
}

void Builder::add_variable(const clang::VarDecl &variable, const clang::DeclStmt &statement, std::vector<Node> &nodes) {
  const clang::QualType type = variable.getType();
  const std::string name = variable.getNameAsString();
  if (variable.isStaticLocal()) return add_opaque(statement, "the static local " + name, nodes);
  if (type.isVolatileQualified()) return add_opaque(statement, "volatile", nodes);
  const clang::Expr *initial = variable.getInit();
  const bool lambda = initial && llvm::isa<clang::LambdaExpr>(stripped(initial)->IgnoreImplicit());
  Scan scan(kernel_, purity_);
  if (initial && type->isReferenceType())
    scan.bind(initial);
  else if (initial && !lambda)
    scan.value(initial);
  if (initial && !lambda && !type->isReferenceType()) scan.declare(variable);

  Node node = node_at(Node::Kind::Statement, {});
  std::string spelled = lambda ? "auto" : kernel_.spelled(type.getUnqualifiedType()) + (type->isReferenceType() ? " &" : "");
  node.declares =
      Declares{name, std::move(spelled), initial && (type->isReferenceType() || !kernel_.locals.modified(variable)), false};
  if (statement.isSingleDecl() || !scan.refusal().empty()) return finish(scan, statement, std::move(node), nodes);

  // One of several in a declaration: a statement of its own.
  const clang::SourceRange written = initial ? initial->getSourceRange() : variable.getLocation();
  const bool scalar = type->isArithmeticType() || type->isPointerType();
  const bool plain = initial ? scalar && variable.getInitStyle() == clang::VarDecl::CInit
                             : scalar || kernel_.context.getBaseElementType(type)->isArithmeticType();
  const Range value = kernel_.source.written(written);
  if (!plain || !value.valid()) return add_opaque(statement, "several variables in one declaration", nodes);
  scan.finish(node, value);
  const std::string head = kernel_.declarator(type, name);
  node.pattern = initial ? head + " = " + node.pattern + ";" : head + ";";
  node.text = initial ? head + " = " + node.text + ";" : head + ";";
  node.line = kernel_.line(node.begin);
  const Range whole = kernel_.source.written(statement.getSourceRange());
  node.begin = whole.begin, node.end = whole.end;
  nodes.push_back(std::move(node));
}

void Builder::add_opaque(const clang::Stmt &statement, const std::string &reason, std::vector<Node> &nodes) {
  const Range range = kernel_.source.with_semicolon(kernel_.source.expanded(statement.getSourceRange()));
  kernel_.note(statement.getBeginLoc(), reason + ": not modelled");
  note_mentions(kernel_, statement);
  if (!nodes.empty() && nodes.back().kind == Node::Kind::Opaque && nodes.back().begin == range.begin) return; // one macro call
  Node node = node_at(Node::Kind::Opaque, range);
  node.reason = reason;
  nodes.push_back(std::move(node));
}

void number(std::vector<Node> &nodes, int (&next)[3]) {
  for (Node &node : nodes) {
    if (node.kind == Node::Kind::Loop) node.id = "L" + std::to_string(next[0]++);
    if (node.kind == Node::Kind::If) node.id = "I" + std::to_string(next[1]++);
    if (node.kind == Node::Kind::Statement) node.id = "S" + std::to_string(next[2]++);
    number(node.body, next);
    number(node.otherwise, next);
  }
}

// Pragmas are no part of the AST where the compiler does not know them.
void note_pragmas(Kernel &kernel) {
  const std::string &text = kernel.model.closure.text;
  const Range body = kernel.source.expanded(kernel.function.getBody()->getSourceRange());
  for (auto at = text.find("#pragma", static_cast<size_t>(std::max(0L, body.begin))); at < static_cast<size_t>(body.end);
       at = text.find("#pragma", at + 1)) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    kernel.model.notes.push_back({kernel.model.file, kernel.line(static_cast<long>(at)), "pragma: " + line});
  }
}

} // namespace

} // namespace body

void build_body(clang::ASTContext &context, const clang::FunctionDecl &function, Model &model) {
  const clang::FunctionDecl *definition = nullptr;
  if (!function.hasBody(definition)) return;
  body::Kernel kernel(context, *definition, model);
  model.body = body::Builder(kernel).list_of(*definition->getBody(), body::Builder::List::FunctionBody);
  int next[3] = {0, 0, 0};
  body::number(model.body, next);
  body::note_pragmas(kernel);
  body::mark_substituted(model.body);
  body::summarise(model, body::uses_of(kernel));
}

} // namespace kopt
