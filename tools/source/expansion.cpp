#include "source/expansion.h"

#include "source/parse.h"

#include <clang/AST/Decl.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <algorithm>
#include <optional>
#include <set>

namespace kopt {
namespace {

using clang::SourceLocation;
using clang::SourceManager;
using clang::syntax::Token;
using clang::syntax::TokenBuffer;
using clang::syntax::TokenCollector;

// Whether a token was spelled in the body of a macro of this text, not in an argument of a call, nor in a system header.
bool spelled_in_our_macro(const SourceManager &sources, SourceLocation location) {
  bool in_body = false;
  while (location.isMacroID()) {
    in_body = in_body || !sources.isMacroArgExpansion(location);
    location = sources.getImmediateSpellingLoc(location);
  }
  return in_body && sources.getFileID(location) == sources.getMainFileID();
}

// The kernel's body, and the names of the variables it declares; those that a macro declares for itself do not count.
class KernelBody final : public clang::RecursiveASTVisitor<KernelBody> {
public:
  KernelBody(const SourceManager &sources, long anchor_end) : sources_(sources), anchor_end_(anchor_end) {}

  std::set<std::string> locals;
  long end = -1; // offset just after the `}`

  [[nodiscard]] bool shouldVisitTemplateInstantiations() const { return false; }

  bool VisitFunctionDecl(clang::FunctionDecl *function) { // NOLINT(readability-identifier-naming): Clang's name
    const auto *body =
        function->doesThisDeclarationHaveABody() ? llvm::dyn_cast<clang::CompoundStmt>(function->getBody()) : nullptr;
    if (!body || offset(body->getLBracLoc()) != anchor_end_ - 1) return true;
    end = offset(body->getRBracLoc()) + 1;
    for (const clang::Decl *declared : function->decls())
      if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declared);
          variable && variable->isLocalVarDecl() && !spelled_in_our_macro(sources_, variable->getLocation()))
        locals.insert(variable->getNameAsString());
    return true;
  }

private:
  [[nodiscard]] long offset(SourceLocation location) const {
    const auto [file, at] = sources_.getDecomposedExpansionLoc(location);
    return file == sources_.getMainFileID() ? static_cast<long>(at) : -1;
  }

  const SourceManager &sources_;
  long anchor_end_;
};

bool hides_something(const SourceManager &sources, llvm::ArrayRef<Token> expanded, const std::set<std::string> &locals) {
  int parentheses = 0; // what is in them is one expression, also GNU's ({ ... })
  return std::any_of(expanded.begin(), expanded.end(), [&](const Token &token) {
    parentheses += token.kind() == clang::tok::l_paren ? 1 : token.kind() == clang::tok::r_paren ? -1 : 0;
    const bool statement = token.kind() == clang::tok::semi || token.kind() == clang::tok::l_brace;
    const bool telling = (statement && parentheses == 0) ||
                         (token.kind() == clang::tok::identifier && locals.contains(token.text(sources).str()));
    return telling && spelled_in_our_macro(sources, token.location());
  });
}

// Whether a blank belongs between two tokens, so that the text reads as a person would write it. A wrong answer may only cost
// looks: tokens that would merge always get one.
bool spaced(clang::tok::TokenKind left, clang::tok::TokenKind right) {
  using namespace clang::tok;
  static const std::set<clang::tok::TokenKind> open{l_paren, l_square, period, arrow, coloncolon, exclaim, tilde};
  static const std::set<clang::tok::TokenKind> close{r_paren, r_square, comma, semi, period, arrow, coloncolon, l_square};
  if (open.contains(left) || close.contains(right)) return false;
  return !(right == l_paren && (left == identifier || left == r_square || left == r_paren));
}

std::string spelled(const SourceManager &sources, llvm::ArrayRef<Token> tokens) {
  std::string text;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (k > 0 && spaced(tokens[k - 1].kind(), tokens[k].kind())) text += ' ';
    text += tokens[k].text(sources).str();
  }
  return text;
}

struct Replacement {
  long begin = 0, end = 0;
  std::string text;
};

std::vector<Replacement> replacements(const TokenBuffer &tokens, const KernelBody &kernel, long anchor_end) {
  const SourceManager &sources = tokens.sourceManager();
  std::vector<Replacement> found;
  for (const auto &expansion : tokens.expansionsOverlapping(tokens.spelledTokens(sources.getMainFileID()))) {
    if (expansion.Spelled.empty() || expansion.Expanded.empty()) continue;
    const long begin = sources.getFileOffset(expansion.Spelled.front().location());
    const long end = sources.getFileOffset(expansion.Spelled.back().endLocation());
    if (begin < anchor_end || end > kernel.end || !hides_something(sources, expansion.Expanded, kernel.locals)) continue;
    found.push_back({begin, end, spelled(sources, expansion.Expanded)});
  }
  return found;
}

std::string replaced(const std::string &text, const std::vector<Replacement> &replacements) {
  std::string result;
  long at = 0;
  for (const Replacement &one : replacements) {
    const std::string old = text.substr(one.begin, one.end - one.begin);
    result += text.substr(at, one.begin - at) + one.text + std::string(std::count(old.begin(), old.end(), '\n'), '\n');
    at = one.end;
  }
  return result + text.substr(at);
}

} // namespace

Result<std::string> write_out_macros(const std::string &text, long anchor_end, const std::string &file,
                                     const CompileCommand &command, const std::vector<std::string> &roots) {
  std::optional<TokenCollector> collector;
  std::string result = text;
  ParseActions actions;
  actions.before = [&](clang::CompilerInstance &compiler) { collector.emplace(compiler.getPreprocessor()); };
  actions.after = [&](clang::CompilerInstance &compiler) {
    KernelBody kernel(compiler.getSourceManager(), anchor_end);
    kernel.TraverseDecl(compiler.getASTContext().getTranslationUnitDecl());
    const TokenBuffer tokens = std::move(*collector).consume();
    if (kernel.end >= 0) result = replaced(text, replacements(tokens, kernel, anchor_end));
  };
  KOPT_TRY(complaints, parse_text(text, file, command, roots, actions));
  return complaints.empty() ? result : text; // what is wrong is said by who parses the closure for good
}

} // namespace kopt
