// Parse: running Clang over a source or over a closure's text, and its complaints as values.
#pragma once

#include "core/error.h"
#include "source/command.h"

#include <clang/AST/ASTContext.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Frontend/CompilerInstance.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kopt {

struct Complaint { // an error of the compiler
  std::string file;
  int line = 0;
  std::string text;
};

// What to do around a parse. Both are called while the compiler is alive; pointers into it end with the parse.
struct ParseActions {
  std::function<void(clang::CompilerInstance &)> before; // the preprocessor exists, nothing was read
  std::function<void(clang::CompilerInstance &)> after;  // the AST is complete
};

// Parses a source as its command says. Errors in the code are returned, not fatal: what the kernel needs may be whole.
// Fails only if Clang did not run to the end.
[[nodiscard]] Result<std::vector<Complaint>> parse_source(const CompileCommand &command, const ParseActions &actions);

// A text parsed alone, and what the compiler said.
struct ParsedText {
  std::vector<Complaint> complaints;
  std::shared_ptr<clang::DiagnosticConsumer> consumer; // the unit refers to it
  std::unique_ptr<clang::ASTUnit> unit;
};

// Parses `text` as if it were in `file`, with the command's flags but without include paths and forced includes below `roots`.
[[nodiscard]] Result<ParsedText> parse_text(const std::string &text, const std::string &file, const CompileCommand &command,
                                            const std::vector<std::string> &roots);

// The same with actions around the parse, which may look at tokens and macros too.
[[nodiscard]] Result<std::vector<Complaint>> parse_text(const std::string &text, const std::string &file,
                                                        const CompileCommand &command, const std::vector<std::string> &roots,
                                                        const ParseActions &actions);

// Removes -I, -iquote, -include and -imacros of files below `roots`.
[[nodiscard]] std::vector<std::string> without_project(const std::vector<std::string> &arguments,
                                                       const std::vector<std::string> &roots);

} // namespace kopt
