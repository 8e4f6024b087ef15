// Preprocessor: what the preprocessor saw in the project's files while Clang parsed a source, as slices of those files.
//   slice        bytes [begin, end) of one entered file; a header entered twice is two files here
//   project file below the source root, the build folder or the source's own folder, and not reached through a system include
//   path;
//                every other header is a system header and stays an #include
//   conditional  an #if ... #endif with its directives; an include guard is one, marked
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kopt {

struct Place {
  clang::FileID file;
  unsigned offset = 0;
};

struct Slice {
  clang::FileID file;
  unsigned begin = 0, end = 0;

  [[nodiscard]] bool contains(Place place) const { return place.file == file && begin <= place.offset && place.offset < end; }
};

struct MacroUse { // an expansion, or a question such as #ifdef, at the place in a file where it begins
  const clang::MacroInfo *macro = nullptr;
  std::string name;
  Place place;
};

struct MacroLine { // #define (macro set) or #undef
  const clang::MacroInfo *macro = nullptr;
  std::string name;
  Slice slice;
};

struct Conditional {
  std::vector<Slice> directives; // #if, #elif ..., #else, #endif
  bool guard = false;

  [[nodiscard]] unsigned begin() const { return directives.front().begin; }
  [[nodiscard]] unsigned end() const { return directives.back().end; }
};

struct Inclusion {
  Slice slice;
  std::string spelled; // <cmath>, "grid.h"
};

// Decides which files are the project's.
class ProjectFiles {
public:
  ProjectFiles(const clang::SourceManager &sources, std::vector<std::string> roots)
      : sources_(&sources), roots_(std::move(roots)) {}

  [[nodiscard]] bool contains(clang::FileID file) const;
  [[nodiscard]] std::string path(clang::FileID file) const; // absolute, without dots; empty for built-in text

private:
  const clang::SourceManager *sources_;
  std::vector<std::string> roots_;
  mutable std::map<clang::FileID, bool> known_;
};

struct Preprocessing {
  std::vector<MacroUse> uses;            // everywhere
  std::vector<MacroLine> macros, undefs; // in project files, as are the following
  std::vector<Inclusion> inclusions;
  std::vector<Slice> pragmas;
  std::map<clang::FileID, std::vector<Conditional>> conditionals;

  // Ends of all directive lines of a file, sorted.
  [[nodiscard]] std::vector<unsigned> directive_ends(clang::FileID file) const;
};

// Records into `record` while the preprocessor runs; both must outlive it.
[[nodiscard]] std::unique_ptr<clang::PPCallbacks> record_preprocessing(const clang::SourceManager &sources,
                                                                       const ProjectFiles &project, Preprocessing &record);

// After the last token: marks include guards.
void mark_guards(const clang::SourceManager &sources, Preprocessing &record);

[[nodiscard]] std::string_view text_of(const clang::SourceManager &sources, const Slice &slice);
[[nodiscard]] std::string_view text_of(const clang::SourceManager &sources, clang::FileID file);

// Where a location's expansion begins.
[[nodiscard]] Place place_of(const clang::SourceManager &sources, clang::SourceLocation location);
// Where a file was included from: the #include line in the file above; invalid for the main file.
[[nodiscard]] std::optional<Place> included_at(const clang::SourceManager &sources, clang::FileID file);

} // namespace kopt
