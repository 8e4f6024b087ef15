#include "source/units.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace kopt {
namespace {

using clang::Decl;
using clang::DeclContext;
using clang::dyn_cast;
using clang::FileID;
using clang::FunctionDecl;
using clang::isa;
using clang::LinkageSpecDecl;
using clang::NamespaceDecl;
using clang::SourceLocation;
using clang::TemplateDecl;
using clang::Token;

// Where a location's text stands in `file`: its expansion, or the #include that brought it there.
std::optional<Place> place_in(const clang::SourceManager &sources, FileID file, Place place) {
  while (place.file != file) {
    const auto above = included_at(sources, place.file);
    if (!above) return std::nullopt;
    place = *above;
  }
  return place;
}

// Whether the declaration's text ends with the `}` of a function body, so that no `;` follows.
bool ends_with_body(const Decl *declaration) {
  if (const auto *block = dyn_cast<LinkageSpecDecl>(declaration)) {
    const Decl *last = nullptr;
    for (const Decl *inner : block->decls()) last = inner;
    return last && ends_with_body(last);
  }
  if (const auto *made = dyn_cast<TemplateDecl>(declaration); made && made->getTemplatedDecl())
    declaration = made->getTemplatedDecl();
  const auto *function = dyn_cast<FunctionDecl>(declaration);
  return function && function->doesThisDeclarationHaveABody() && !function->isDefaulted() && !function->isDeleted();
}

// Reads tokens of a file from an offset on, without the preprocessor.
class Tokens {
public:
  Tokens(clang::ASTContext &context, FileID file, unsigned offset)
      : start_(context.getSourceManager().getLocForStartOfFile(file)), text_(context.getSourceManager().getBufferData(file)),
        lexer_(start_, context.getLangOpts(), text_.begin(), text_.begin() + offset, text_.end()) {}

  Token next() {
    Token token;
    lexer_.LexFromRawLexer(token);
    return token;
  }
  [[nodiscard]] unsigned offset(const Token &token) const {
    return token.getLocation().getRawEncoding() - start_.getRawEncoding();
  }

private:
  SourceLocation start_;
  llvm::StringRef text_;
  clang::Lexer lexer_;
};

} // namespace

Units::Units(clang::ASTContext &context, const ProjectFiles &project, const Preprocessing &record)
    : context_(context), sources_(context.getSourceManager()), project_(project), record_(record) {
  collect(context.getTranslationUnitDecl());
  merge();
  widen_to_conditionals();
  merge();
  for (Unit &unit : units_) {
    auto &borders = borders_[unit.slice.file];
    if (borders.empty()) borders.push_back(0);
    borders.push_back(unit.slice.end);
  }
  for (auto &[file, borders] : borders_) {
    const auto directives = record_.directive_ends(file);
    borders.insert(borders.end(), directives.begin(), directives.end());
    std::sort(borders.begin(), borders.end());
  }
  for (Unit &unit : units_) unit.slice.begin = start_of(unit.slice);
  index();
}

void Units::collect(const DeclContext *scope) {
  for (const Decl *declaration : scope->decls()) {
    if (declaration->isImplicit() || isa<clang::EmptyDecl>(declaration)) continue;
    if (!project_.contains(place_of(sources_, declaration->getBeginLoc()).file)) continue;
    const auto *block = dyn_cast<LinkageSpecDecl>(declaration);
    if (const auto *space = dyn_cast<NamespaceDecl>(declaration)) {
      note_braces(space, space->getRBraceLoc());
      collect(space);
    } else if (block && block->hasBraces()) {
      note_braces(block, block->getRBraceLoc());
      collect(block);
    } else {
      add(declaration);
    }
  }
}

// The head of a namespace and its closing brace are no unit's, be they written out or made by a macro.
void Units::note_braces(const Decl *scope, SourceLocation closing) {
  const auto end_of = [&](SourceLocation location) {
    const Place last = place_of(sources_, sources_.getExpansionRange(location).getEnd());
    Tokens tokens(context_, last.file, last.offset);
    const Token token = tokens.next();
    borders_[last.file].push_back(tokens.offset(token) + token.getLength());
  };
  end_of(closing);
  if (scope->getBeginLoc().isMacroID()) return end_of(scope->getBeginLoc());
  const Place begin = place_of(sources_, scope->getBeginLoc());
  Tokens tokens(context_, begin.file, begin.offset);
  for (Token token = tokens.next(); token.isNot(clang::tok::eof); token = tokens.next()) {
    if (token.isNot(clang::tok::l_brace)) continue;
    borders_[begin.file].push_back(tokens.offset(token) + 1);
    break;
  }
}

void Units::add(const Decl *declaration) {
  const auto range = sources_.getExpansionRange(declaration->getSourceRange());
  const Place begin = place_of(sources_, range.getBegin());
  auto last = place_in(sources_, begin.file, place_of(sources_, range.getEnd()));
  if (!last || last->offset < begin.offset) last = begin;
  const unsigned end = end_after(declaration, *last);
  units_.push_back({{begin.file, begin.offset, end}, {declaration}, declaration->getLexicalDeclContext()});
}

// The end of the unit whose last token begins at `last`: with the `;` that belongs to it.
unsigned Units::end_after(const Decl *declaration, Place last) const {
  Tokens tokens(context_, last.file, last.offset);
  const Token first = tokens.next();
  unsigned end = tokens.offset(first) + first.getLength();
  if (ends_with_body(declaration) && !declaration->getEndLoc().isMacroID()) return end;
  int depth = 0;
  const bool made_by_macro = declaration->getEndLoc().isMacroID();
  if (made_by_macro) { // the expansion range ends at the macro's name or at its closing parenthesis
    const Token next = tokens.next();
    return next.is(clang::tok::semi) ? tokens.offset(next) + 1 : end;
  }
  for (Token token = tokens.next(); token.isNot(clang::tok::eof); token = tokens.next()) {
    if (token.isOneOf(clang::tok::l_paren, clang::tok::l_brace, clang::tok::l_square)) ++depth;
    if (token.isOneOf(clang::tok::r_paren, clang::tok::r_brace, clang::tok::r_square)) --depth;
    if (depth < 0) break;
    if (depth == 0 && token.is(clang::tok::semi)) return tokens.offset(token) + 1;
  }
  return end;
}

// A unit that holds only a part of an #if ... #endif grows to hold all of it.
void Units::widen_to_conditionals() {
  for (bool grown = true; grown;) {
    grown = false;
    for (Unit &unit : units_) {
      const auto found = record_.conditionals.find(unit.slice.file);
      if (found == record_.conditionals.end()) continue;
      for (const Conditional &conditional : found->second) {
        unsigned &begin = unit.slice.begin, &end = unit.slice.end;
        const auto &directives = conditional.directives;
        const auto inside = std::count_if(directives.begin(), directives.end(),
                                          [&](const Slice &line) { return begin <= line.begin && line.end <= end; });
        if (inside == 0 || inside == static_cast<long>(directives.size())) continue;
        begin = std::min(begin, conditional.begin());
        end = std::max(end, conditional.end());
        grown = true;
      }
    }
  }
}

void Units::merge() {
  std::stable_sort(units_.begin(), units_.end(), [](const Unit &a, const Unit &b) {
    return std::tie(a.slice.file, a.slice.begin) < std::tie(b.slice.file, b.slice.begin);
  });
  std::vector<Unit> merged;
  for (Unit &unit : units_) {
    if (!merged.empty() && merged.back().slice.file == unit.slice.file && unit.slice.begin < merged.back().slice.end) {
      Unit &into = merged.back();
      into.slice.end = std::max(into.slice.end, unit.slice.end);
      into.declarations.insert(into.declarations.end(), unit.declarations.begin(), unit.declarations.end());
    } else {
      merged.push_back(std::move(unit));
    }
  }
  units_ = std::move(merged);
}

// The first token after whatever stands before the unit: attributes and `template<>` come before what the AST calls its begin.
unsigned Units::start_of(const Slice &slice) const {
  const auto &borders = borders_.at(slice.file);
  const auto after = std::upper_bound(borders.begin(), borders.end(), slice.begin);
  Tokens tokens(context_, slice.file, after == borders.begin() ? 0 : *std::prev(after));
  for (Token token = tokens.next(); token.isNot(clang::tok::eof); token = tokens.next()) {
    if (token.is(clang::tok::semi)) continue;
    return std::min(tokens.offset(token), slice.begin);
  }
  return slice.begin;
}

void Units::index() {
  for (int k = 0; k < static_cast<int>(units_.size()); ++k) {
    for (const Decl *declaration : units_[k].declarations) {
      unit_of_[declaration] = k;
      if (const auto *made = dyn_cast<TemplateDecl>(declaration))
        if (const Decl *inner = made->getTemplatedDecl()) unit_of_[inner] = k;
    }
  }
}

int Units::of(const Decl *declaration) const {
  while (declaration) {
    if (const auto found = unit_of_.find(declaration); found != unit_of_.end()) return found->second;
    const DeclContext *around = declaration->getLexicalDeclContext();
    declaration = around && !around->isTranslationUnit() ? Decl::castFromDeclContext(around) : nullptr;
  }
  return -1;
}

int Units::at(Place place) const {
  for (std::optional<Place> here = place; here; here = included_at(sources_, here->file)) {
    const auto after = std::upper_bound(units_.begin(), units_.end(), *here, [](const Place &value, const Unit &unit) {
      return std::tie(value.file, value.offset) < std::tie(unit.slice.file, unit.slice.begin);
    });
    if (after != units_.begin() && std::prev(after)->slice.contains(*here)) return static_cast<int>(after - units_.begin()) - 1;
  }
  return -1;
}

} // namespace kopt
