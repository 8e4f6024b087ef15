#include "source/emission.h"

#include "core/hash.h"
#include "source/names.h"
#include "source/references.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Stmt.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace kopt {
namespace {

using clang::Decl;
using clang::dyn_cast;
using clang::NamespaceDecl;

// A line or group of lines that the text will have.
struct Item {
  Slice slice;
  std::string kind, name;
  int unit = -1;
  const clang::DeclContext *context = nullptr; // null: wherever we are
};

// What stands open around a place of the text: a namespace, an extern "C" block or one branch of a conditional.
struct Frame {
  const Conditional *conditional = nullptr;
  std::string opening;  // of a block
  Place place;          // where it was opened
  std::size_t rest = 0; // of a conditional that asks for the compiler: its next directive, when its other branches are kept

  [[nodiscard]] bool same(const Frame &other) const { return conditional == other.conditional && opening == other.opening; }
};

std::string opening_of(const clang::DeclContext *context) {
  if (const auto *space = dyn_cast<NamespaceDecl>(context)) {
    if (space->isAnonymousNamespace()) return "namespace {";
    return std::string(space->isInline() ? "inline " : "") + "namespace " + space->getName().str() + " {";
  }
  return "extern \"C\" {";
}

std::string closing_of(const Frame &frame) {
  if (frame.conditional) return "#endif\n";
  return "} // " + frame.opening.substr(0, frame.opening.size() - 2) + "\n";
}

// namespace a { namespace b {} }
std::string declared(const NamespaceDecl *space) {
  std::string text;
  for (const clang::DeclContext *scope = space; scope; scope = scope->getParent())
    if (const auto *around = dyn_cast<NamespaceDecl>(scope))
      text = opening_of(around) + " " + text + "}" + (text.empty() ? "" : " ");
  return text;
}

class Writer {
public:
  Writer(const ParsedSource &source, const ClosureSearch &search, const clang::FunctionDecl &kernel,
         const std::string &shown_root)
      : source_(source), sources_(source.context.getSourceManager()), search_(search), kernel_(kernel),
        shown_root_(shown_root) {}

  Result<EmittedClosure> write();

private:
  void collect();
  std::vector<Frame> frames_around(const Item &item) const;
  void enter(const std::vector<Frame> &wanted);
  void open(const Frame &frame, const Item &item);
  void close();
  void write_other_branches(const Conditional &conditional, std::size_t first, std::size_t last);
  [[nodiscard]] bool asks_for_compiler(const Conditional &conditional) const;
  Result<void> write_item(const Item &item);
  void write_missing_namespaces(const Item &item);
  void write_missing_definitions(const Item &item);
  Result<void> note_kernel(const Item &item);
  [[nodiscard]] std::string macro_at(clang::SourceLocation location) const;
  long add_piece(const Slice &slice, const std::string &kind, const std::string &name, long at);
  void note_file(clang::FileID file);
  void find_included_files();
  std::string spliced(const Slice &slice);
  [[nodiscard]] int line_of(const Slice &slice) const {
    return static_cast<int>(sources_.getLineNumber(slice.file, slice.begin));
  }
  [[nodiscard]] std::string shown(clang::FileID file) const;
  [[nodiscard]] clang::SourceLocation location(Place place) const {
    return sources_.getLocForStartOfFile(place.file).getLocWithOffset(static_cast<int>(place.offset));
  }
  [[nodiscard]] bool before(Place a, Place b) const { return sources_.isBeforeInTranslationUnit(location(a), location(b)); }

  const ParsedSource &source_;
  const clang::SourceManager &sources_;
  const ClosureSearch &search_;
  const clang::FunctionDecl &kernel_;
  const std::string &shown_root_;
  std::vector<Item> items_;
  std::vector<Frame> open_;
  std::set<const clang::NamespaceDecl *> opened_;
  std::set<std::pair<clang::FileID, unsigned>> directives_;
  std::map<std::pair<clang::FileID, unsigned>, clang::FileID> included_; // by the place of the #include
  EmittedClosure out_;
  std::string text_;
};

std::string kind_of(const Decl *declaration) {
  if (const auto *made = dyn_cast<clang::TemplateDecl>(declaration); made && made->getTemplatedDecl())
    declaration = made->getTemplatedDecl();
  if (clang::isa<clang::FunctionDecl>(declaration)) return "function";
  if (clang::isa<clang::VarDecl>(declaration)) return "variable";
  if (clang::isa<clang::UsingDecl, clang::UsingDirectiveDecl, clang::NamespaceAliasDecl, clang::UsingEnumDecl>(declaration))
    return "using";
  if (const auto *block = dyn_cast<clang::LinkageSpecDecl>(declaration); block && !block->decls_empty())
    return kind_of(*block->decls_begin());
  return "type";
}

std::string name_of(const Decl *declaration) {
  if (const auto *block = dyn_cast<clang::LinkageSpecDecl>(declaration); block && !block->decls_empty())
    return name_of(*block->decls_begin());
  if (const auto *directive = dyn_cast<clang::UsingDirectiveDecl>(declaration))
    return qualified_name(*directive->getNominatedNamespace());
  if (const auto *named = dyn_cast<clang::NamedDecl>(declaration)) return qualified_name(*named);
  return {};
}

// Whether a pragma changes what code means: layout, options, floating point, or a macro that the closure uses.
bool is_kept(std::string_view pragma, const std::set<std::string> &macros) {
  for (const char *word : {"push_macro", "pop_macro"})
    if (pragma.find(word) != std::string_view::npos)
      return std::any_of(macros.begin(), macros.end(),
                         [&](const std::string &name) { return pragma.find("\"" + name + "\"") != std::string_view::npos; });
  for (const char *word :
       {"pack", "GCC optimize", "GCC target", "GCC push_options", "GCC pop_options", "GCC visibility", "STDC"})
    if (pragma.find(word) != std::string_view::npos) return true;
  return false;
}

void Writer::collect() {
  std::set<clang::FileID> files;
  for (const int k : search_.units()) {
    const Unit &unit = source_.units.all()[k];
    files.insert(unit.slice.file);
    Item item{unit.slice, kind_of(unit.declarations.front()), name_of(unit.declarations.front()), k, unit.context};
    if (source_.units.of(written(&kernel_)) == k) item.kind = "kernel";
    items_.push_back(std::move(item));
  }
  std::set<std::string> names;
  const auto in_unit = [&](const Slice &slice) {
    const int unit = source_.units.at({slice.file, slice.begin});
    return unit >= 0 && search_.units().contains(unit);
  };
  for (const int k : search_.macros()) {
    const MacroLine &line = source_.record.macros[k];
    names.insert(line.name);
    if (!in_unit(line.slice)) items_.push_back({line.slice, "macro", line.name});
  }
  for (const MacroLine &line : source_.record.undefs)
    if (names.contains(line.name) && !in_unit(line.slice)) items_.push_back({line.slice, "macro", line.name});
  for (const int k : search_.inclusions()) {
    const Inclusion &line = source_.record.inclusions[k];
    if (!in_unit(line.slice)) items_.push_back({line.slice, "include", line.spelled});
  }
  for (const Slice &pragma : source_.record.pragmas)
    if (files.contains(pragma.file) && !in_unit(pragma) && is_kept(text_of(sources_, pragma), names))
      items_.push_back({pragma, "directive", "pragma"});
  std::sort(items_.begin(), items_.end(), [&](const Item &a, const Item &b) {
    return before({a.slice.file, a.slice.begin}, {b.slice.file, b.slice.begin});
  });
}

std::vector<Frame> Writer::frames_around(const Item &item) const {
  std::vector<Frame> frames;
  for (const Conditional *conditional : search_.conditionals_around({item.slice.file, item.slice.begin}))
    frames.push_back({conditional, "", {conditional->directives.front().file, conditional->begin()}});
  for (const auto *scope = item.context; scope && !scope->isTranslationUnit(); scope = scope->getLexicalParent())
    frames.push_back({nullptr, opening_of(scope), place_of(sources_, Decl::castFromDeclContext(scope)->getBeginLoc())});
  std::stable_sort(frames.begin(), frames.end(), [&](const Frame &a, const Frame &b) { return before(a.place, b.place); });
  return frames;
}

void Writer::close() {
  const Frame &frame = open_.back();
  if (frame.rest > 0) write_other_branches(*frame.conditional, frame.rest, frame.conditional->directives.size() - 1);
  text_ += closing_of(frame);
  open_.pop_back();
}

// Directives [first, last) with the text below them, as they are: branches that Clang does not see but another compiler would.
void Writer::write_other_branches(const Conditional &conditional, std::size_t first, std::size_t last) {
  for (std::size_t k = first; k < last; ++k) {
    const Slice &directive = conditional.directives[k];
    const Slice branch{directive.file, directive.begin, conditional.directives[k + 1].begin};
    add_piece(branch, "directive", "branch of another compiler", static_cast<long>(text_.size()));
    text_ += text_of(sources_, branch);
  }
}

// The directives of a conditional down to the branch that holds the item. Branches without anything wanted stay empty, unless
// the conditional asks which compiler reads it: Clang is not the one that compiles the closure.
void Writer::open(const Frame &frame, const Item &item) {
  open_.push_back(frame);
  if (!frame.conditional) {
    if (!text_.empty() && !text_.ends_with("\n\n")) text_ += "\n";
    text_ += frame.opening + "\n";
    return;
  }
  Place inside{item.slice.file, item.slice.begin};
  const auto &directives = frame.conditional->directives;
  while (inside.file != directives.front().file) inside = *included_at(sources_, inside.file);
  std::size_t taken = 0;
  while (taken + 2 < directives.size() && directives[taken + 1].begin < inside.offset) ++taken;
  const bool first_time = directives_.insert({directives.front().file, directives.front().begin}).second;
  const bool whole = first_time && asks_for_compiler(*frame.conditional);
  if (whole) {
    write_other_branches(*frame.conditional, 0, taken);
    open_.back().rest = taken + 1;
  }
  for (std::size_t k = whole ? taken : 0; k <= taken; ++k) {
    const std::string line(text_of(sources_, directives[k]));
    if (first_time) add_piece(directives[k], "directive", line, static_cast<long>(text_.size()));
    text_ += line + "\n";
  }
}

bool Writer::asks_for_compiler(const Conditional &conditional) const {
  for (const Slice &directive : conditional.directives)
    for (const char *word : {"__clang", "__GNU", "__INTEL", "_MSC_VER", "__has_", "__NVCOMPILER", "__VERSION__"})
      if (text_of(sources_, directive).find(word) != std::string_view::npos) return true;
  return false;
}

void Writer::enter(const std::vector<Frame> &wanted) {
  // The same #if is left and entered again only as the outer frames change; it cannot change its branch.
  std::size_t common = 0;
  while (common < open_.size() && common < wanted.size() && open_[common].same(wanted[common])) ++common;
  while (open_.size() > common) close();
}

void Writer::note_file(clang::FileID file) {
  const std::string path = source_.project.path(file);
  auto &files = out_.closure.files;
  if (std::any_of(files.begin(), files.end(), [&](const ClosureFile &known) { return known.file == path; })) return;
  files.push_back({path, hash_of(text_of(sources_, file))});
}

std::string Writer::shown(clang::FileID file) const {
  const std::string path = source_.project.path(file);
  return path.starts_with(shown_root_ + "/") ? path.substr(shown_root_.size() + 1) : path;
}

long Writer::add_piece(const Slice &slice, const std::string &kind, const std::string &name, long at) {
  const std::string_view text = text_of(sources_, slice);
  out_.closure.pieces.push_back({name, kind, source_.project.path(slice.file), line_of(slice), static_cast<long>(slice.begin),
                                 static_cast<long>(text.size()), hash_of(text)});
  out_.offsets.push_back(at);
  note_file(slice.file);
  return at;
}

void Writer::find_included_files() {
  for (unsigned k = 0; k < sources_.local_sloc_entry_size(); ++k) {
    const auto &entry = sources_.getLocalSLocEntry(k);
    if (!entry.isFile() || entry.getFile().getIncludeLoc().isInvalid()) continue;
    const clang::FileID file = sources_.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
    if (!source_.project.contains(file)) continue;
    const Place at = *included_at(sources_, file);
    for (const Inclusion &inclusion : source_.record.inclusions)
      if (inclusion.slice.contains(at)) included_[{at.file, inclusion.slice.begin}] = file;
  }
}

// A slice with the project's files that it includes (a table, a list of X-macros) put in the place of their #include.
std::string Writer::spliced(const Slice &slice) {
  std::string text;
  unsigned done = slice.begin;
  for (const Inclusion &inclusion : source_.record.inclusions) {
    if (!slice.contains({inclusion.slice.file, inclusion.slice.begin})) continue;
    const auto found = included_.find({inclusion.slice.file, inclusion.slice.begin});
    if (found == included_.end()) continue;
    const Slice inner{found->second, 0, static_cast<unsigned>(text_of(sources_, found->second).size())};
    text += text_of(sources_, Slice{slice.file, done, inclusion.slice.begin});
    text += "// " + shown(inner.file) + ":1\n" + spliced(inner);
    add_piece(inner, "directive", inclusion.spelled, -1);
    done = inclusion.slice.end;
  }
  return text + std::string(text_of(sources_, Slice{slice.file, done, slice.end}));
}

// `using namespace a;` needs some text that opened a.
void Writer::write_missing_namespaces(const Item &item) {
  const auto found = search_.opened_before().find(item.unit);
  if (item.unit < 0 || found == search_.opened_before().end()) return;
  for (const NamespaceDecl *space : found->second) {
    if (opened_.contains(space->getFirstDecl()) || space->isInline()) continue;
    while (!open_.empty() && !open_.back().conditional) close();
    text_ += declared(space) + "\n";
    opened_.insert(space->getFirstDecl());
  }
}

// A variable that another source of the target defines: here it is defined too, and the MEP fills it.
void Writer::write_missing_definitions(const Item &item) {
  if (item.unit < 0) return;
  for (const clang::VarDecl *variable : search_.undefined_variables()) {
    if (source_.units.of(variable->getMostRecentDecl()) != item.unit) continue;
    const clang::PrintingPolicy policy = printing_policy(source_.context);
    std::string declarator = variable->getName().str();
    for (const auto *scope = variable->getDeclContext(); const auto *record = dyn_cast<clang::CXXRecordDecl>(scope);
         scope = scope->getParent())
      declarator = record->getName().str() + "::" + declarator;
    variable->getType().getAsStringInternal(declarator, policy);
    text_ += "// defined in another source of the target\n" + declarator + ";\n\n";
  }
}

std::string Writer::macro_at(clang::SourceLocation location) const {
  while (sources_.isMacroArgExpansion(location)) location = sources_.getImmediateExpansionRange(location).getBegin();
  return clang::Lexer::getImmediateMacroName(location, sources_, source_.context.getLangOpts()).str();
}

Result<void> Writer::note_kernel(const Item &item) {
  const Unit &unit = source_.units.all()[item.unit];
  const std::string where = source_.project.path(item.slice.file) + ":" + std::to_string(line_of(item.slice));
  const auto *body = dyn_cast<clang::CompoundStmt>(kernel_.getBody());
  if (!body) return fail("the kernel's body is a function try block", where, "put the try block inside the body");
  if (body->getLBracLoc().isMacroID() || body->getRBracLoc().isMacroID())
    return fail("the kernel's body is made by the macro " + macro_at(body->getLBracLoc()) + ", and nothing can be put into it",
                where,
                "have the macro make the head alone and write the { } out: " + macro_at(body->getLBracLoc()) +
                    "(...) { ... }, or write the kernel out as a function of its own");
  if (unit.declarations.size() != 1)
    return fail("the kernel's definition shares its text with other declarations", where,
                "write the kernel out as a function of its own");
  for (const Inclusion &inclusion : source_.record.inclusions)
    if (item.slice.contains({inclusion.slice.file, inclusion.slice.begin}))
      return fail("the kernel's text has an #include in it", where, "move what is included out of the kernel");
  const Place brace = place_of(sources_, body->getLBracLoc());
  const Slice head{item.slice.file, item.slice.begin, brace.offset + 1};
  const std::string text(text_of(sources_, head));
  out_.anchor = {source_.project.path(head.file),
                 static_cast<long>(head.begin),
                 static_cast<long>(text.size()),
                 line_of(head),
                 hash_of(text),
                 text};
  out_.closure.anchor_offset = static_cast<long>(text_.size());
  out_.closure.anchor_length = static_cast<long>(text.size());
  out_.closure.kernel_end =
      static_cast<long>(text_.size() + place_of(sources_, body->getRBracLoc()).offset + 1 - item.slice.begin);
  return {};
}

Result<void> Writer::write_item(const Item &item) {
  const std::vector<Frame> wanted = frames_around(item);
  const bool fits = !item.context && std::all_of(wanted.begin(), wanted.end(), [&](const Frame &frame) {
    return std::any_of(open_.begin(), open_.end(), [&](const Frame &other) { return frame.same(other); });
  }) && std::count_if(open_.begin(), open_.end(), [](const Frame &frame) {
          return frame.conditional;
        }) == static_cast<long>(wanted.size());
  if (item.kind == "include" || !fits) enter(wanted);
  write_missing_namespaces(item);
  if (item.kind == "include" || !fits)
    for (std::size_t k = open_.size(); k < wanted.size(); ++k) open(wanted[k], item);
  if (item.kind == "include") {
    text_ += std::string(text_of(sources_, item.slice)) + "\n";
    if (std::find(out_.closure.includes.begin(), out_.closure.includes.end(), item.name) == out_.closure.includes.end())
      out_.closure.includes.push_back(item.name);
    note_file(item.slice.file);
    return {};
  }
  for (const auto *scope = item.context; scope; scope = scope->getLexicalParent())
    if (const auto *space = dyn_cast<NamespaceDecl>(scope)) opened_.insert(space->getFirstDecl());
  text_ += "// " + shown(item.slice.file) + ":" + std::to_string(line_of(item.slice)) + "\n";
  if (item.kind == "kernel") KOPT_CHECK(note_kernel(item));
  add_piece(item.slice, item.kind, item.name, static_cast<long>(text_.size()));
  text_ += spliced(item.slice) + "\n";
  if (item.kind != "macro" && item.kind != "directive") text_ += "\n";
  write_missing_definitions(item);
  return {};
}

Result<EmittedClosure> Writer::write() {
  collect();
  find_included_files();
  note_file(sources_.getMainFileID());
  for (const Item &item : items_) KOPT_CHECK(write_item(item));
  while (!open_.empty()) close();
  out_.closure.text = std::move(text_);
  return std::move(out_);
}

} // namespace

Result<EmittedClosure> emit_closure(const ParsedSource &source, const ClosureSearch &search, const clang::FunctionDecl &kernel,
                                    const std::string &shown_root) {
  return Writer(source, search, kernel, shown_root).write();
}

Origin origin_of(const EmittedClosure &emitted, long offset) {
  const auto &pieces = emitted.closure.pieces;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const long begin = emitted.offsets[k];
    if (begin < 0 || offset < begin || offset > begin + pieces[k].length) continue;
    const std::string_view text = std::string_view(emitted.closure.text).substr(begin, offset - begin);
    return {pieces[k].file, pieces[k].line + static_cast<int>(std::count(text.begin(), text.end(), '\n'))};
  }
  return {emitted.anchor.file, emitted.anchor.line};
}

} // namespace kopt
