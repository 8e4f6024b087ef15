#include "source/parse.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendOptions.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <set>

namespace kopt {
namespace {

// Collects errors. Their files are as presumed, so that a #line in generated code shows the original.
class Collector final : public clang::DiagnosticConsumer {
public:
  std::vector<Complaint> complaints;

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    if (level < clang::DiagnosticsEngine::Error) return;
    llvm::SmallString<256> text;
    diagnostic.FormatDiagnostic(text);
    Complaint complaint{"", 0, text.str().str()};
    if (diagnostic.hasSourceManager() && diagnostic.getLocation().isValid()) {
      const auto place = diagnostic.getSourceManager().getPresumedLoc(diagnostic.getLocation());
      if (place.isValid()) {
        complaint.file = place.getFilename();
        complaint.line = static_cast<int>(place.getLine());
      }
    }
    complaints.push_back(std::move(complaint));
  }
};

class Consumer final : public clang::ASTConsumer {
public:
  Consumer(clang::CompilerInstance &compiler, const ParseActions &actions, bool &finished)
      : compiler_(compiler), actions_(actions), finished_(finished) {}
  void HandleTranslationUnit(clang::ASTContext &) override {
    finished_ = true;
    actions_.after(compiler_);
  }

private:
  clang::CompilerInstance &compiler_;
  const ParseActions &actions_;
  bool &finished_;
};

class Action final : public clang::ASTFrontendAction {
public:
  Action(const ParseActions &actions, bool &finished) : actions_(actions), finished_(finished) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler, llvm::StringRef) override {
    actions_.before(compiler);
    return std::make_unique<Consumer>(compiler, actions_, finished_);
  }

private:
  const ParseActions &actions_;
  bool &finished_;
};

// A disk whose working folder is the command's, without changing ours.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk_in(const std::string &directory) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk(llvm::vfs::createPhysicalFileSystem().release());
  disk->setCurrentWorkingDirectory(directory);
  return disk;
}

std::vector<std::string> parser_arguments(std::vector<std::string> arguments) {
  // No warnings: the code is the user's, judged by the user's compiler. All errors: only those in the closure matter.
  arguments.insert(arguments.end(), {"-x", "c++", "-w", "-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics",
                                     "-resource-dir=" KOPT_RESOURCE_DIR});
  return arguments;
}

} // namespace

namespace {

using DiskPointer = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

Result<std::vector<Complaint>> run(std::vector<std::string> arguments, const std::string &file, const DiskPointer &disk,
                                   const ParseActions &actions) {
  Collector collector;
  bool finished = false;
  std::vector<std::string> words = parser_arguments(std::move(arguments));
  words.insert(words.begin(), "clang++");
  words.push_back(file);
  llvm::IntrusiveRefCntPtr<clang::FileManager> files(new clang::FileManager(clang::FileSystemOptions(), disk));
  clang::tooling::ToolInvocation invocation(words, std::make_unique<Action>(actions, finished), files.get());
  invocation.setDiagnosticConsumer(&collector);
  invocation.run();
  if (!finished)
    return fail("Clang could not read this source" +
                    (collector.complaints.empty() ? "" : ": " + collector.complaints.front().text),
                file, "see that it compiles, and that the compile command has nothing Clang cannot take");
  return collector.complaints;
}

} // namespace

Result<std::vector<Complaint>> parse_source(const CompileCommand &command, const ParseActions &actions) {
  return run(command.clang_arguments, command.source, disk_in(command.directory), actions);
}

Result<std::vector<Complaint>> parse_text(const std::string &text, const std::string &file, const CompileCommand &command,
                                          const std::vector<std::string> &roots, const ParseActions &actions) {
  const DiskPointer disk = disk_in(command.directory);
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory(new llvm::vfs::InMemoryFileSystem);
  memory->addFile(file, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> both(new llvm::vfs::OverlayFileSystem(disk));
  both->pushOverlay(memory);
  return run(without_project(command.clang_arguments, roots), file, both, actions);
}

std::vector<std::string> without_project(const std::vector<std::string> &arguments, const std::vector<std::string> &roots) {
  const auto below = [&](const std::string &path) {
    return std::any_of(roots.begin(), roots.end(),
                       [&](const std::string &root) { return path == root || path.starts_with(root + "/"); });
  };
  static const std::set<std::string> pairs{"-iquote", "-include", "-imacros"};
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string &word = arguments[i];
    if (word.starts_with("-I") && below(word.substr(2))) continue;
    if (pairs.contains(word) && i + 1 < arguments.size() && below(arguments[i + 1])) {
      ++i;
      continue;
    }
    kept.push_back(word);
  }
  return kept;
}

Result<ParsedText> parse_text(const std::string &text, const std::string &file, const CompileCommand &command,
                              const std::vector<std::string> &roots) {
  ParsedText parsed;
  auto collector = std::make_shared<Collector>();
  parsed.consumer = collector;
  parsed.unit = clang::tooling::buildASTFromCodeWithArgs(
      text, parser_arguments(without_project(command.clang_arguments, roots)), file, "clang++",
      std::make_shared<clang::PCHContainerOperations>(), clang::tooling::getClangStripDependencyFileAdjuster(), {},
      collector.get(), disk_in(command.directory));
  parsed.complaints = collector->complaints;
  if (!parsed.unit) return fail("Clang could not read the closure", file, "report this");
  return parsed;
}

} // namespace kopt
