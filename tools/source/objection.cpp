#include "source/objection.h"

#include "source/body_source.h"
#include "source/names.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>

namespace kopt {
namespace {

using clang::dyn_cast;
using clang::FunctionDecl;
using clang::isa;
using clang::Stmt;

bool is_one_of(llvm::StringRef name, std::initializer_list<const char *> words) {
  return std::any_of(words.begin(), words.end(), [&](const char *word) { return name == word; });
}

// A function outside of the project that a kernel must not call; `remedy` is empty for those that it may.
struct Forbidden {
  const char *why = "", *remedy = "";
  bool conditionally = false; // allowed where only some calls come there: the message before an abort

  [[nodiscard]] explicit operator bool() const { return *remedy != '\0'; }
};

bool takes_stream(const FunctionDecl &callee) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&callee);
  const auto is_stream = [](clang::QualType type) {
    const auto *record = type.getNonReferenceType()->getAsCXXRecordDecl();
    return record && record->isInStdNamespace() && record->getIdentifier() &&
           is_one_of(record->getName(), {"basic_ostream", "basic_istream", "basic_ofstream", "basic_ifstream", "basic_ios"});
  };
  if (method && method->isInstance()) return is_stream(method->getFunctionObjectParameterType());
  return callee.getNumParams() > 0 && is_stream(callee.getParamDecl(0)->getType());
}

Forbidden judge(const FunctionDecl &callee) {
  const llvm::StringRef name = callee.getIdentifier() ? callee.getName() : llvm::StringRef();
  if (is_one_of(name, {"printf",   "fprintf", "puts",   "fputs", "putchar", "fputc", "putc",  "vprintf",
                       "vfprintf", "fwrite",  "perror", "fopen", "fclose",  "fread", "fgets", "fscanf",
                       "scanf",    "getchar", "fflush", "write", "read",    "open"}) ||
      takes_stream(callee))
    return {"which reads or writes files", "move input and output to the caller", true};
  if (is_one_of(name, {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "longjmp", "siglongjmp"}))
    return {"which jumps out of functions", "return a value that says how it went"};
  if (is_one_of(name, {"rand", "srand", "random", "drand48", "lrand48", "time", "clock", "gettimeofday", "clock_gettime", "now",
                       "getrandom"}))
    return {"whose answer is another one in each call", "pass the value as a parameter"};
  if (name.starts_with("omp_"))
    return {"whose answer depends on the OpenMP region of the caller", "pass the value as a parameter"};
  if (name.starts_with("pthread_")) return {"which works with threads", "leave the threads to the caller"};
  return {};
}

// Whether only some executions reach the k-th part of a statement.
bool is_conditional(const Stmt &statement, const Stmt &part) {
  if (const auto *choice = dyn_cast<clang::IfStmt>(&statement)) return &part == choice->getThen() || &part == choice->getElse();
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(&statement)) return &part != choice->getCond();
  if (const auto *logical = dyn_cast<clang::BinaryOperator>(&statement))
    return logical->isLogicalOp() && &part == logical->getRHS();
  return isa<clang::SwitchStmt, clang::CXXCatchStmt>(statement);
}

class Inspector {
public:
  explicit Inspector(const FunctionDecl &kernel) : kernel_(kernel), context_(kernel.getASTContext()) {}

  Result<void> inspect() {
    if (isa<clang::CoroutineBodyStmt>(kernel_.getBody()))
      return fail(qualified_name(kernel_) + " is a coroutine, which cannot be a kernel",
                  where_of(context_, kernel_.getLocation()), "put the loops into an ordinary function and call it from here");
    enter(kernel_, false);
    return std::move(result_);
  }

private:
  void enter(const FunctionDecl &function, bool conditional) {
    if (!seen_.insert({&function, conditional}).second) return;
    const FunctionDecl *outer = function_;
    function_ = &function;
    visit(*function.getBody(), conditional);
    function_ = outer;
  }

  void visit(const Stmt &statement, bool conditional) {
    if (!result_) return;
    if (function_ == &kernel_) own(statement);
    if (const auto *declarations = dyn_cast<clang::DeclStmt>(&statement))
      for (const clang::Decl *declaration : declarations->decls())
        if (const auto *variable = dyn_cast<clang::VarDecl>(declaration)) local(*variable);
    if (const auto *reference = dyn_cast<clang::DeclRefExpr>(&statement)) use(*reference);
    if (const auto *call = dyn_cast<clang::CallExpr>(&statement); call && call->getDirectCallee())
      this->call(*call, *call->getDirectCallee(), conditional);
    if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(&statement))
      follow(*construction->getConstructor(), conditional);
    for (const Stmt *part : statement.children())
      if (part) visit(*part, conditional || is_conditional(statement, *part));
  }

  // What only the kernel itself must not have, since a variant takes the place of its body.
  void own(const Stmt &statement) {
    if (isa<clang::GotoStmt, clang::IndirectGotoStmt, clang::LabelStmt>(statement))
      refuse("jumps with goto", statement.getBeginLoc(), "write the jump as a loop, or put it into a function of its own");
    if (isa<clang::AsmStmt>(statement))
      refuse("has inline assembly", statement.getBeginLoc(), "put the assembly into a function that the kernel calls");
    if (isa<clang::CXXTryStmt>(statement))
      refuse("catches exceptions", statement.getBeginLoc(), "put what is inside the try block into a kernel of its own");
  }

  void local(const clang::VarDecl &variable) {
    const clang::QualType type = context_.getBaseElementType(variable.getType());
    if (!variable.isStaticLocal() || type.isConstQualified() || variable.isConstexpr()) return;
    refuse("keeps state in the static local variable '" + variable.getNameAsString() + "'", variable.getLocation(),
           "move it out of the function, where it can be set and compared");
  }

  void use(const clang::DeclRefExpr &reference) {
    const auto *variable = dyn_cast<clang::VarDecl>(reference.getDecl());
    if (!variable || variable->getTLSKind() == clang::VarDecl::TLS_None || variable->isStaticLocal()) return;
    refuse("uses the thread_local variable '" + qualified_name(*variable) + "'", reference.getLocation(),
           "pass what the kernel needs of it as a parameter");
  }

  void call(const clang::CallExpr &call, const FunctionDecl &callee, bool conditional) {
    const auto &sources = context_.getSourceManager();
    if (callee.getBuiltinID() != 0 || sources.isInSystemHeader(callee.getLocation())) {
      if (const Forbidden no = judge(callee); no && !(conditional && no.conditionally))
        refuse("calls " + qualified_name(callee) + ", " + no.why, call.getBeginLoc(), no.remedy);
      return;
    }
    follow(callee, conditional);
  }

  void follow(const FunctionDecl &callee, bool conditional) {
    const FunctionDecl *body = nullptr;
    if (callee.hasBody(body) && body->getBody() && !context_.getSourceManager().isInSystemHeader(body->getLocation()))
      enter(*body, conditional);
  }

  void refuse(const std::string &what, clang::SourceLocation place, const std::string &remedy) {
    if (!result_) return;
    const std::string who = function_ == &kernel_
                                ? qualified_name(kernel_)
                                : qualified_name(kernel_) + " calls " + qualified_name(*function_) + ", which";
    result_ = fail(who + " " + what, where_of(context_, place), remedy);
  }

  const FunctionDecl &kernel_;
  const clang::ASTContext &context_;
  const FunctionDecl *function_ = nullptr;
  std::set<std::pair<const FunctionDecl *, bool>> seen_;
  Result<void> result_;
};

} // namespace

Result<void> check_constructs(const FunctionDecl &kernel) { return Inspector(kernel).inspect(); }

} // namespace kopt
