#include "source/extraction.h"

#include "source/body.h"
#include "source/choice.h"
#include "source/closure.h"
#include "source/command.h"
#include "source/emission.h"
#include "source/expansion.h"
#include "source/finder.h"
#include "source/homes.h"
#include "source/instantiation.h"
#include "source/leaves.h"
#include "source/names.h"
#include "source/objection.h"
#include "source/parse.h"
#include "source/resizing.h"
#include "source/toolchain.h"
#include "source/word_index.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>

namespace kopt {
namespace {

using clang::ASTContext;
using clang::Decl;
using clang::DeclContext;
using clang::dyn_cast;
using clang::FunctionDecl;
using clang::VarDecl;

// What one source says about one kernel, kept beyond the life of its AST.
struct Sighting {
  Model model; // kernel, compile and anchor filled
  EmittedClosure emitted;
  CompileCommand command;
  std::string use;                    // of a template: what brings its instantiation about, to stand after the closure
  std::optional<Complaint> complaint; // the source's first error, if it had any
};

struct Found { // a function that the name may mean
  FunctionName name;
  Result<Sighting> sighting;
};

struct Search { // for one kernel
  KernelName name;
  Candidates sources;
  std::vector<Found> found;
  std::vector<FunctionName> templates, made; // of this name without an instantiation as asked for; those that there are
  std::vector<std::string> elsewhere;        // same last name, other namespace
  std::vector<Error> failures;               // of sources that could not be read
  std::set<std::string> files;               // that were read
};

std::vector<std::string> project_roots(const Spec &spec, const std::string &source) {
  std::set<std::string> roots{fs::path(source).parent_path().string()};
  for (const fs::path &root : {spec.source_root, spec.build_root})
    if (!root.empty()) roots.insert(root.lexically_normal().string());
  return {roots.begin(), roots.end()};
}

std::vector<std::string> namespaces_of(const FunctionDecl &function) {
  std::vector<std::string> names;
  for (const DeclContext *scope = function.getDeclContext(); scope; scope = scope->getParent())
    if (const auto *space = dyn_cast<clang::NamespaceDecl>(scope)) names.insert(names.begin(), space->getNameAsString());
  return names;
}

// As called inside its namespaces: diffuse, axpy<float, 4>, Sums::run.
std::string callee_of(const FunctionDecl &function) {
  std::string text = function.getNameAsString() + arguments_text(function);
  for (const DeclContext *scope = function.getDeclContext(); scope; scope = scope->getParent())
    if (const auto *record = dyn_cast<clang::CXXRecordDecl>(scope)) text = record->getNameAsString() + "::" + text;
  return text;
}

void describe_kernel(const FunctionDecl &kernel, const KernelName &name, const Spec &spec, Model &model) {
  model.name = name.text;
  model.slug = spec.slug_of(name.text);
  model.target = spec.target;
  model.signature = signature_of(kernel);
  model.return_type = qualified_type(kernel.getASTContext(), kernel.getReturnType());
  model.linkage = kernel.isExternallyVisible() ? "external" : "internal";
  model.namespaces = namespaces_of(kernel);
  model.callee = callee_of(kernel);
}

void describe_compile(const CompileCommand &command, const std::set<std::string> &macros, const std::vector<std::string> &roots,
                      Compile &compile) {
  compile.compiler = command.compiler;
  compile.directory = command.directory;
  compile.optimizes = command.optimizes;
  // A forced include of the project would bring in once more what the closure has sliced out of it.
  for (std::size_t k = 0; k < command.arguments.size(); ++k) {
    const std::string &word = command.arguments[k];
    const bool forced = (word == "-include" || word == "-imacros") && k + 1 < command.arguments.size();
    if (forced && without_project({word, command.arguments[k + 1]}, roots).empty())
      ++k;
    else
      compile.arguments.push_back(word);
  }
  for (const std::string &name : macros)
    if (const auto found = command.macros.find(name); found != command.macros.end()) compile.macros.insert(*found);
}

// A variable in namespace kopt_use that takes the address of an instantiation.
std::string use_of(const FunctionDecl &kernel, const Model &model) {
  if (!is_instantiation(kernel)) return {};
  std::string open, close;
  for (const std::string &space : model.namespaces) {
    open += space.empty() ? "namespace { " : "namespace " + space + " { ";
    close += " }";
  }
  return "\n" + open +
         "namespace kopt_use { template <class T> struct type { typedef T is; }; auto *function = static_cast<type<" +
         qualified_type(kernel.getASTContext(), kernel.getType()) + ">::is *>(&" + model.callee + "); }" + close + "\n";
}

// While the source's AST is alive: everything that must be taken from it.
Result<Sighting> sight(const ParsedSource &source, const FunctionDecl &kernel, const KernelName &name, const Spec &spec,
                       const CompileCommand &command) {
  KOPT_CHECK(check_kind(kernel));
  KOPT_TRY(template_arguments, template_arguments_of(kernel));
  if (auto convention = convention_of(source.context, kernel, {}); !convention)
    return tl::make_unexpected(std::move(convention).error()); // here, where the original's lines are known
  KOPT_CHECK(check_sizes_stay(kernel));
  KOPT_CHECK(check_constructs(kernel));
  Sighting sighting;
  sighting.command = command;
  const ClosureSearch search(source, kernel);
  KOPT_TRY(emitted, emit_closure(source, search, kernel, spec.source_root.string()));
  sighting.emitted = std::move(emitted);
  Model &model = sighting.model;
  describe_kernel(kernel, name, spec, model);
  model.template_arguments = std::move(template_arguments);
  sighting.use = use_of(kernel, model);
  describe_compile(command, search.command_line_macros(), project_roots(spec, command.source), model.compile);
  model.anchor = sighting.emitted.anchor;
  model.closure = sighting.emitted.closure;
  model.file = model.anchor.file;
  model.line = model.anchor.line;
  const auto &sources = source.context.getSourceManager();
  const clang::FileID file = place_of(sources, kernel.getLocation()).file;
  model.column = static_cast<int>(sources.getColumnNumber(file, static_cast<unsigned>(model.anchor.offset)));
  return sighting;
}

// What one parsed source has for one kernel. Returns the index of the first that was found.
std::size_t look_for(Search &search, const ParsedSource &source, const Spec &spec, const CompileCommand &command) {
  const std::size_t first = search.found.size();
  const Definitions definitions = definitions_of(source.context, source.project, search.name);
  for (const FunctionDecl *kernel : definitions.found)
    search.found.push_back({function_name(*kernel, source.project), sight(source, *kernel, search.name, spec, command)});
  for (const FunctionDecl *pattern : definitions.templates) search.templates.push_back(function_name(*pattern, source.project));
  for (const FunctionDecl *made : definitions.others) search.made.push_back(function_name(*made, source.project));
  if (definitions.found.empty() && definitions.templates.empty()) {
    const auto names = same_last_name(source.context, source.project, search.name);
    search.elsewhere.insert(search.elsewhere.end(), names.begin(), names.end());
  }
  return first;
}

// The project's files that a parse has read.
std::set<std::string> files_of(const clang::SourceManager &sources, const ProjectFiles &project) {
  std::set<std::string> files;
  for (unsigned k = 0; k < sources.local_sloc_entry_size(); ++k) {
    const auto &entry = sources.getLocalSLocEntry(k);
    if (!entry.isFile()) continue;
    const auto file = sources.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
    if (project.contains(file)) files.insert(project.path(file));
  }
  return files;
}

// Parses one source and looks for all kernels that it may define.
void look_into(const CompileCommand &command, const Spec &spec, const std::vector<Search *> &searches) {
  Preprocessing record;
  std::optional<ProjectFiles> project;
  std::vector<std::pair<Search *, std::size_t>> first_found;
  ParseActions actions;
  actions.before = [&](clang::CompilerInstance &compiler) {
    const auto &sources = compiler.getSourceManager();
    project.emplace(sources, project_roots(spec, command.source));
    compiler.getPreprocessor().addPPCallbacks(record_preprocessing(sources, *project, record));
  };
  actions.after = [&](clang::CompilerInstance &compiler) {
    ASTContext &context = compiler.getASTContext();
    mark_guards(context.getSourceManager(), record);
    const Units units(context, *project, record);
    const ParsedSource source{context, *project, record, units};
    const auto files = files_of(context.getSourceManager(), *project);
    for (Search *search : searches) {
      search->files.insert(files.begin(), files.end());
      first_found.emplace_back(search, look_for(*search, source, spec, command));
    }
  };
  const auto complaints = parse_source(command, actions);
  if (!complaints) {
    for (Search *search : searches) search->failures.push_back(complaints.error());
    return;
  }
  if (complaints->empty()) return;
  for (const auto &[search, first] : first_found)
    for (std::size_t k = first; k < search->found.size(); ++k)
      if (auto &sighting = search->found[k].sighting) sighting->complaint = complaints->front();
}

// A header's function is seen in each source that includes it: the first sighting without an Error stays.
void keep_one_of_each(std::vector<Found> &found) {
  std::vector<Found> kept;
  for (Found &one : found) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const Found &other) { return other.name == one.name; });
    if (same == kept.end())
      kept.push_back(std::move(one));
    else if (!same->sighting && one.sighting)
      *same = std::move(one);
  }
  found = std::move(kept);
}

std::vector<FunctionName> without_repetitions(const std::vector<FunctionName> &names) {
  std::vector<FunctionName> once;
  for (const FunctionName &name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  return once;
}

// The one sighting, or why there is none.
Result<Sighting> chosen(const Disk &disk, const Spec &spec, Search &search) {
  keep_one_of_each(search.found);
  if (search.found.size() == 1) return std::move(search.found.front().sighting);
  if (search.found.size() > 1) {
    std::vector<FunctionName> names;
    for (const Found &one : search.found) names.push_back(one.name);
    return tl::make_unexpected(ambiguous(search.name, names));
  }
  if (!search.failures.empty()) return tl::make_unexpected(search.failures.front());
  if (!search.templates.empty())
    return tl::make_unexpected(not_instantiated(spec, search.name, search.templates, without_repetitions(search.made)));
  return tl::make_unexpected(unknown_kernel(disk, spec, search.name, search.elsewhere));
}

// Calls `seen` for declarations of the text at file and namespace scope and in classes.
void for_each_declaration(const ASTContext &context, const DeclContext *scope, const std::function<void(const Decl *)> &seen) {
  for (const Decl *declaration : scope->decls()) {
    if (!context.getSourceManager().isInMainFile(context.getSourceManager().getExpansionLoc(declaration->getLocation())))
      continue;
    seen(declaration);
    if (clang::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::CXXRecordDecl>(declaration))
      for_each_declaration(context, Decl::castToDeclContext(declaration), seen);
  }
}

long offset_of(const ASTContext &context, clang::SourceLocation location) {
  return static_cast<long>(place_of(context.getSourceManager(), location).offset);
}

// The function whose address an expression is.
const FunctionDecl *function_in(const clang::Stmt *expression) {
  if (const auto *reference = dyn_cast<clang::DeclRefExpr>(expression)) return dyn_cast<FunctionDecl>(reference->getDecl());
  for (const clang::Stmt *child : expression->children())
    if (const FunctionDecl *found = child ? function_in(child) : nullptr) return found;
  return nullptr;
}

// The kernel in a parsed closure. An instantiation is what `kopt_use::function` refers to.
const FunctionDecl *kernel_in(const ASTContext &context, const Sighting &sighting) {
  const Closure &closure = sighting.model.closure;
  const FunctionDecl *found = nullptr;
  for_each_declaration(context, context.getTranslationUnitDecl(), [&](const Decl *declaration) {
    if (const auto *variable = dyn_cast<VarDecl>(declaration); variable && variable->getInit() && !sighting.use.empty())
      if (const FunctionDecl *function = function_in(variable->getInit()))
        if (variable->getQualifiedNameAsString().ends_with("kopt_use::function")) found = function->getDefinition();
    const auto *function = dyn_cast<FunctionDecl>(declaration);
    if (!function || !function->doesThisDeclarationHaveABody()) return;
    const auto *body = dyn_cast<clang::CompoundStmt>(function->getBody());
    if (body && offset_of(context, body->getLBracLoc()) == closure.anchor_offset + closure.anchor_length - 1) found = function;
  });
  return found;
}

bool is_mutable(const VarDecl &variable) {
  const auto type = variable.getASTContext().getBaseElementType(variable.getType());
  return !type.isConstQualified() && !variable.isConstexpr();
}

std::vector<const VarDecl *> mutable_globals(const ASTContext &context) {
  std::vector<const VarDecl *> globals;
  for_each_declaration(context, context.getTranslationUnitDecl(), [&](const Decl *declaration) {
    const auto *variable = dyn_cast<VarDecl>(declaration);
    if (!variable || variable->isTemplated() || !variable->isReferenced() || !is_mutable(*variable)) return;
    const VarDecl *definition = variable->getDefinition();
    if (!definition) definition = variable->getCanonicalDecl();
    if (std::find(globals.begin(), globals.end(), definition) == globals.end()) globals.push_back(definition);
  });
  return globals;
}

// A function that the closure calls and this source only declares.
Result<void> check_all_defined(const Disk &disk, const Spec &spec, const ASTContext &context, const EmittedClosure &emitted) {
  const clang::NamedDecl *missing = nullptr;
  for_each_declaration(context, context.getTranslationUnitDecl(), [&](const Decl *declaration) {
    if (const auto *function = dyn_cast<FunctionDecl>(declaration))
      if (!missing && function->isUsed() && !function->isDefined() && !function->getBuiltinID() && !function->isTemplated())
        missing = function;
    if (const auto *variable = dyn_cast<VarDecl>(declaration))
      if (!missing && variable->isUsed() && !variable->getDefinition() && !variable->isTemplated()) missing = variable;
  });
  if (!missing) return {};
  const bool function = clang::isa<FunctionDecl>(missing);
  std::string home;
  for (const std::string &source : spec.sources)
    if (const auto text = disk.read(source);
        home.empty() && text && function && seems_to_define(*text, missing->getName().str()))
      home = source;
  const std::string name = qualified_name(*missing);
  return fail((function ? "the kernel needs the function '" : "the kernel needs the constant '") + name + "', which " +
                  (home.empty() ? "another source defines" : home + " defines"),
              origin_of(emitted, offset_of(context, missing->getLocation())).text(),
              "define it in the kernel's source, or inline in the header that declares it");
}

long offset_of_line(const EmittedClosure &emitted, int line) {
  long offset = 0;
  for (int at = 1; at < line; ++at) offset = static_cast<long>(emitted.closure.text.find('\n', offset)) + 1;
  return offset;
}

Result<void> check_compiles(const Sighting &sighting, const ParsedText &parsed) {
  if (parsed.complaints.empty()) return {};
  const Complaint &first = parsed.complaints.front();
  std::string where = origin_of(sighting.emitted, offset_of_line(sighting.emitted, first.line)).text();
  if (sighting.complaint)
    return fail("the source does not compile for Clang: " + sighting.complaint->text,
                sighting.complaint->file + ":" + std::to_string(sighting.complaint->line),
                "make it compile, or move the kernel into a source that does");
  return fail("the closure of " + sighting.model.name + " does not compile alone: " + first.text, where,
              "this is a limit of the extraction: move what the kernel needs nearer to it, or report it");
}

// Macro calls that hide what the kernel does are written out in the closure.
Result<void> show_statements(const std::string &file, const Spec &spec, Sighting &sighting) {
  Closure &closure = sighting.model.closure;
  if (closure.text.find("#define") == std::string::npos) return {};
  const long anchor_end = closure.anchor_offset + closure.anchor_length;
  KOPT_TRY(text,
           write_out_macros(closure.text, anchor_end, file, sighting.command, project_roots(spec, sighting.command.source)));
  const long longer = static_cast<long>(text.size()) - static_cast<long>(closure.text.size());
  for (long &offset : sighting.emitted.offsets)
    if (offset >= closure.kernel_end) offset += longer;
  closure.kernel_end += longer;
  closure.text = text;
  sighting.emitted.closure.text = std::move(text);
  return {};
}

// An error at a place in the closure's text, told at the place that this text comes from.
Error in_the_source(Error error, const std::string &closure, const EmittedClosure &emitted) {
  if (!error.where.starts_with(closure + ":")) return error;
  error.where = origin_of(emitted, offset_of_line(emitted, std::atoi(error.where.c_str() + closure.size() + 1))).text();
  return error;
}

Result<Model> finish(const Disk &disk, const Spec &spec, Sighting sighting) {
  Model &model = sighting.model;
  const std::string file = (spec.mep_dir(model.slug) / "closure.cpp").string();
  KOPT_CHECK(show_statements(file, spec, sighting));
  KOPT_TRY(parsed,
           parse_text(model.closure.text + sighting.use, file, sighting.command, project_roots(spec, sighting.command.source)));
  KOPT_CHECK(check_compiles(sighting, parsed));
  ASTContext &context = parsed.unit->getASTContext();
  KOPT_CHECK(check_all_defined(disk, spec, context, sighting.emitted));
  const FunctionDecl *kernel = kernel_in(context, sighting);
  if (!kernel)
    return fail("the kernel was lost on the way into its closure", model.file + ":" + std::to_string(model.line),
                "report this");
  auto convention = convention_of(context, *kernel, mutable_globals(context));
  if (!convention) return tl::make_unexpected(in_the_source(std::move(convention).error(), file, sighting.emitted));
  model.parameters = std::move(convention->parameters);
  model.leaves = std::move(convention->leaves);
  build_body(context, *kernel, model);
  return std::move(model);
}

// Looks into sources for several kernels at once.
class Explorer {
public:
  Explorer(const Disk &disk, Processes &processes, const Spec &spec)
      : disk_(disk), spec_(spec), commands_(CompileCommands::read(disk, spec)), toolchain_(processes) {}

  // Parses these sources of the kernels that were not found so far.
  void look(const std::vector<std::unique_ptr<Search>> &searches, std::vector<std::string> Candidates::*sources) {
    std::map<std::string, std::vector<Search *>> by_source;
    for (const auto &search : searches)
      if (search && search->found.empty())
        for (const std::string &source : search->sources.*sources) by_source[source].push_back(search.get());
    parsed_ += by_source.size();
    for (const auto &[source, wanted] : by_source) {
      const auto command =
          commands_ ? commands_->command_for(source) : Result<CompileCommand>(tl::make_unexpected(commands_.error()));
      if (command)
        look_into(toolchain_.completed(*command), spec_, wanted);
      else
        for (Search *search : wanted) search->failures.push_back(command.error());
    }
  }

  [[nodiscard]] Result<std::vector<std::string>> homes(const KernelName &name, const std::string &file) const {
    if (!commands_) return tl::make_unexpected(commands_.error());
    return homes_of(disk_, spec_, *commands_, name, file);
  }

  [[nodiscard]] std::size_t parsed() const { return parsed_; }

private:
  const Disk &disk_;
  const Spec &spec_;
  Result<CompileCommands> commands_;
  Toolchain toolchain_;
  std::size_t parsed_ = 0; // sources
};

// Adds the time since the last lap to a field.
class Stopwatch {
public:
  explicit Stopwatch(ExtractionTiming *timing) : timing_(timing) {}
  void lap(double ExtractionTiming::*field) {
    const auto now = std::chrono::steady_clock::now();
    if (timing_) timing_->*field += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

private:
  ExtractionTiming *timing_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::set<std::string> words_of(const std::vector<std::string> &kernels) {
  std::set<std::string> words;
  for (const std::string &kernel : kernels)
    if (const auto name = KernelName::parse(kernel)) words.insert(name->word());
  return words;
}

} // namespace

std::vector<Extracted> extract(const Disk &disk, Processes &processes, const Spec &spec,
                               const std::vector<std::string> &kernels, ExtractionTiming *timing) {
  Stopwatch stopwatch(timing);
  const WordIndex index(disk, spec.sources, words_of(kernels));
  std::vector<Extracted> results;
  std::vector<std::unique_ptr<Search>> searches;
  for (const std::string &kernel : kernels) {
    auto name = KernelName::parse(kernel);
    results.push_back({kernel, name ? Result<Model>() : Result<Model>(tl::make_unexpected(name.error())), {}});
    searches.push_back(nullptr);
    if (!name) continue;
    searches.back() = std::make_unique<Search>();
    searches.back()->name = *name;
    Spec mentioning = spec;
    mentioning.sources = index.sources_with(name->word());
    searches.back()->sources = sources_for(disk, mentioning, *name);
  }
  stopwatch.lap(&ExtractionTiming::filter_seconds);
  Explorer explorer(disk, processes, spec);
  explorer.look(searches, &Candidates::defining);
  explorer.look(searches, &Candidates::mentioning);
  stopwatch.lap(&ExtractionTiming::parse_seconds);
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!searches[k]) continue;
    results[k].files = std::move(searches[k]->files);
    // An edit anywhere may define what no source defines now.
    if (searches[k]->found.empty()) results[k].files.insert(spec.sources.begin(), spec.sources.end());
    auto sighting = chosen(disk, spec, *searches[k]);
    if (auto homes =
            sighting ? explorer.homes(searches[k]->name, sighting->model.anchor.file) : tl::make_unexpected(sighting.error()))
      sighting->model.sources = std::move(*homes);
    else
      sighting = tl::make_unexpected(homes.error());
    results[k].model =
        sighting ? finish(disk, spec, std::move(*sighting)) : Result<Model>(tl::make_unexpected(sighting.error()));
    if (!results[k].model && results[k].model.error().where.empty()) results[k].model.error().where = results[k].kernel;
  }
  stopwatch.lap(&ExtractionTiming::closure_seconds);
  if (timing) timing->sources = spec.sources.size(), timing->parsed = explorer.parsed(), timing->closures = results.size();
  return results;
}

std::string ExtractionTiming::text() const {
  return fmt::format(
      "filter  {:8.3f} s  {} sources\nparse   {:8.3f} s  {} sources\nclosure {:8.3f} s  {} kernels\ntotal   {:8.3f} s",
      filter_seconds, sources, parse_seconds, parsed, closure_seconds, closures,
      filter_seconds + parse_seconds + closure_seconds);
}

} // namespace kopt
