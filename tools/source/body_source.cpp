#include "source/body_source.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace kopt::body {

Source::Source(const clang::ASTContext &context)
    : sources_(context.getSourceManager()), language_(context.getLangOpts()),
      text_(sources_.getBufferData(sources_.getMainFileID()).str()) {}

Range Source::range_of(clang::CharSourceRange range) const {
  if (range.isInvalid()) return {};
  const auto [begin_file, begin] = sources_.getDecomposedLoc(range.getBegin());
  const auto [end_file, end] = sources_.getDecomposedLoc(range.getEnd());
  if (begin_file != sources_.getMainFileID() || end_file != begin_file || end < begin) return {};
  return {static_cast<long>(begin), static_cast<long>(end)};
}

Range Source::written(clang::SourceRange range) const {
  return range_of(clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(range), sources_, language_));
}

Range Source::expanded(clang::SourceRange range) const {
  if (const Range exact = written(range); exact.valid()) return exact;
  const clang::CharSourceRange whole = sources_.getExpansionRange(range);
  return range_of(clang::Lexer::getAsCharRange(whole, sources_, language_));
}

Range Source::with_semicolon(Range range) const {
  if (!range.valid()) return range;
  const auto next = text_.find_first_not_of(" \t\r\n", static_cast<size_t>(range.end));
  if (next != std::string::npos && text_[next] == ';') range.end = static_cast<long>(next) + 1;
  return range;
}

std::string Source::text(Range range) const {
  if (!range.valid()) return {};
  return text_.substr(static_cast<size_t>(range.begin), static_cast<size_t>(range.end - range.begin));
}

long Source::offset(clang::SourceLocation location) const {
  return static_cast<long>(sources_.getFileOffset(sources_.getExpansionLoc(location)));
}

bool Source::in_macro_body(clang::SourceLocation location) const {
  while (location.isMacroID()) {
    if (!sources_.isMacroArgExpansion(location)) return true;
    location = sources_.getImmediateSpellingLoc(location);
  }
  return false;
}

} // namespace kopt::body
