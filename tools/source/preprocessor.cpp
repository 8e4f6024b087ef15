#include "source/preprocessor.h"

#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/Token.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <filesystem>

namespace kopt {
namespace {

using clang::FileID;
using clang::MacroDefinition;
using clang::SourceLocation;
using clang::SourceManager;
using clang::SourceRange;
using clang::Token;

// The whole directive line around an offset, with continuation lines, without its line end.
Slice line_around(std::string_view text, Place place) {
  unsigned begin = place.offset;
  while (begin > 0 && text[begin] != '#') --begin;
  unsigned end = place.offset;
  while (end < text.size() && !(text[end] == '\n' && text[end - 1] != '\\' && text.substr(end - 2, 2) != "\\\r")) ++end;
  while (end > begin && (text[end - 1] == '\r' || text[end - 1] == ' ')) --end;
  return {place.file, begin, end};
}

class Recorder final : public clang::PPCallbacks {
public:
  Recorder(const SourceManager &sources, const ProjectFiles &project, Preprocessing &record)
      : sources_(sources), project_(project), record_(record) {}

  void InclusionDirective(SourceLocation hash, const Token &, llvm::StringRef name, bool angled, clang::CharSourceRange,
                          clang::OptionalFileEntryRef, llvm::StringRef, llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    if (const auto slice = line(hash))
      record_.inclusions.push_back({*slice, angled ? "<" + name.str() + ">" : "\"" + name.str() + "\""});
  }
  void MacroDefined(const Token &name, const clang::MacroDirective *directive) override {
    if (const auto slice = line(name.getLocation()))
      record_.macros.push_back({directive->getMacroInfo(), spelling(name), *slice});
  }
  void MacroUndefined(const Token &name, const MacroDefinition &, const clang::MacroDirective *) override {
    if (const auto slice = line(name.getLocation())) record_.undefs.push_back({nullptr, spelling(name), *slice});
  }
  void MacroExpands(const Token &name, const MacroDefinition &macro, SourceRange, const clang::MacroArgs *) override {
    use(name, macro);
  }
  void Defined(const Token &name, const MacroDefinition &macro, SourceRange) override { use(name, macro); }
  void PragmaDirective(SourceLocation location, clang::PragmaIntroducerKind introducer) override {
    if (introducer != clang::PIK_HashPragma) return;
    if (const auto slice = line(location)) record_.pragmas.push_back(*slice);
  }

  void If(SourceLocation location, SourceRange, ConditionValueKind) override { open(location); }
  void Ifdef(SourceLocation location, const Token &name, const MacroDefinition &macro) override {
    use(name, macro);
    open(location);
  }
  void Ifndef(SourceLocation location, const Token &name, const MacroDefinition &macro) override {
    use(name, macro);
    open(location);
  }
  void Elif(SourceLocation location, SourceRange, ConditionValueKind, SourceLocation opening) override {
    add(location, opening);
  }
  void Elifdef(SourceLocation location, SourceRange, SourceLocation opening) override { add(location, opening); }
  void Elifndef(SourceLocation location, SourceRange, SourceLocation opening) override { add(location, opening); }
  void Else(SourceLocation location, SourceLocation opening) override { add(location, opening); }
  void Endif(SourceLocation location, SourceLocation opening) override {
    add(location, opening);
    const auto found = open_.find(opening);
    if (found == open_.end()) return;
    record_.conditionals[found->second.directives.front().file].push_back(std::move(found->second));
    open_.erase(found);
  }

private:
  static std::string spelling(const Token &name) { return name.getIdentifierInfo()->getName().str(); }

  std::optional<Slice> line(SourceLocation location) {
    const Place place = place_of(sources_, location);
    if (!project_.contains(place.file)) return std::nullopt;
    return line_around(text_of(sources_, place.file), place);
  }
  void use(const Token &name, const MacroDefinition &macro) {
    if (const auto *info = macro.getMacroInfo())
      record_.uses.push_back({info, spelling(name), place_of(sources_, name.getLocation())});
  }
  void open(SourceLocation location) {
    if (const auto slice = line(location)) open_[location].directives.push_back(*slice);
  }
  void add(SourceLocation location, SourceLocation opening) {
    const auto found = open_.find(opening);
    if (found == open_.end()) return;
    if (const auto slice = line(location)) found->second.directives.push_back(*slice);
  }

  const SourceManager &sources_;
  const ProjectFiles &project_;
  Preprocessing &record_;
  std::map<SourceLocation, Conditional> open_;
};

} // namespace

std::string ProjectFiles::path(FileID file) const {
  const auto entry = sources_->getFileEntryRefForID(file);
  if (!entry) return {};
  llvm::SmallString<256> path(entry->getName());
  sources_->getFileManager().makeAbsolutePath(path);
  llvm::sys::path::remove_dots(path, true);
  return path.str().str();
}

bool ProjectFiles::contains(FileID file) const {
  const auto [found, added] = known_.try_emplace(file, false);
  if (!added) return found->second;
  const std::string name = path(file);
  if (name.empty()) return false;
  const bool system = clang::SrcMgr::isSystem(sources_->getFileCharacteristic(sources_->getLocForStartOfFile(file)));
  const bool below =
      std::any_of(roots_.begin(), roots_.end(), [&](const std::string &root) { return name.starts_with(root + "/"); });
  found->second = file == sources_->getMainFileID() || (below && !system);
  return found->second;
}

std::unique_ptr<clang::PPCallbacks> record_preprocessing(const SourceManager &sources, const ProjectFiles &project,
                                                         Preprocessing &record) {
  return std::make_unique<Recorder>(sources, project, record);
}

namespace {

// Whether nothing but the file itself asks for a macro: `#define GRID_H 1` is then as good as `#define GRID_H`.
bool is_private(const SourceManager &sources, const Preprocessing &record, const MacroLine &line) {
  const auto same_file = [&](FileID other) {
    return sources.getFileEntryForID(other) == sources.getFileEntryForID(line.slice.file);
  };
  return std::all_of(record.uses.begin(), record.uses.end(),
                     [&](const MacroUse &use) { return use.macro != line.macro || same_file(use.place.file); });
}

} // namespace

// A guard is an #ifndef without #else around the whole file, whose macro the next line defines.
void mark_guards(const SourceManager &sources, Preprocessing &record) {
  for (auto &[file, conditionals] : record.conditionals) {
    std::sort(conditionals.begin(), conditionals.end(), [](const auto &a, const auto &b) { return a.begin() < b.begin(); });
    Conditional &first = conditionals.front();
    if (first.directives.size() != 2) continue;
    const unsigned inside = first.directives.front().end;
    const auto defined = std::find_if(record.macros.begin(), record.macros.end(), [&](const MacroLine &line) {
      return line.slice.file == file && line.slice.begin >= inside;
    });
    if (defined == record.macros.end()) continue;
    const std::string_view text = text_of(sources, file);
    const std::string_view directive = text_of(sources, first.directives.front());
    const std::string_view between = text.substr(inside, defined->slice.begin - inside);
    const bool negative = directive.find("ndef") != std::string_view::npos || directive.find('!') != std::string_view::npos;
    const bool whole_file = text.substr(first.end()).find_first_of(";}#") == std::string_view::npos;
    first.guard = negative && whole_file && directive.find(defined->name) != std::string_view::npos &&
                  between.find_first_not_of(" \t\r\n") == std::string_view::npos &&
                  (defined->macro->getNumTokens() == 0 || is_private(sources, record, *defined));
  }
}

std::vector<unsigned> Preprocessing::directive_ends(FileID file) const {
  std::vector<unsigned> ends;
  const auto note = [&](const Slice &slice) {
    if (slice.file == file) ends.push_back(slice.end);
  };
  for (const auto *lines : {&macros, &undefs})
    for (const MacroLine &line : *lines) note(line.slice);
  for (const Inclusion &inclusion : inclusions) note(inclusion.slice);
  for (const Slice &pragma : pragmas) note(pragma);
  if (const auto found = conditionals.find(file); found != conditionals.end())
    for (const Conditional &conditional : found->second)
      for (const Slice &directive : conditional.directives) note(directive);
  std::sort(ends.begin(), ends.end());
  return ends;
}

std::string_view text_of(const SourceManager &sources, FileID file) {
  const llvm::StringRef text = sources.getBufferData(file);
  return {text.data(), text.size()};
}

std::string_view text_of(const SourceManager &sources, const Slice &slice) {
  return text_of(sources, slice.file).substr(slice.begin, slice.end - slice.begin);
}

Place place_of(const SourceManager &sources, SourceLocation location) {
  const auto [file, offset] = sources.getDecomposedExpansionLoc(location);
  return {file, offset};
}

std::optional<Place> included_at(const SourceManager &sources, FileID file) {
  const SourceLocation location = sources.getIncludeLoc(file);
  if (location.isInvalid()) return std::nullopt;
  return place_of(sources, location);
}

} // namespace kopt
