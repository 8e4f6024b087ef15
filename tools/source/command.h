// Command: how a source of the target is compiled, from compile_commands.json: the words that compile it with the original
// compiler, and their translation for Clang as a parser. A flag passes to Clang only when the table in command.cpp lists it.
#pragma once

#include "core/disk.h"
#include "core/spec.h"

#include <map>
#include <string>
#include <vector>

namespace kopt {

struct CompileCommand {
  std::string compiler;
  std::string directory;
  std::string source;                 // what to parse: always the original, even where the build compiles a generated file
  std::vector<std::string> arguments; // without compiler, input, output, -c and dependency options; paths absolute
  std::vector<std::string> clang_arguments;  // the subset that matters to a parser
  std::map<std::string, std::string> macros; // defined on the command line
  bool optimizes = false;
};

// The entries of one compile_commands.json.
class CompileCommands {
public:
  static Result<CompileCommands> read(const Disk &disk, const Spec &spec);

  // The command for a source of the spec: its own, that of the file compiled in its place, or that of the unity source it is
  // part of, in this target and this configuration; failing these, that of another target.
  [[nodiscard]] Result<CompileCommand> command_for(const std::string &source) const;

private:
  struct Entry {
    std::string file, directory, output;
    std::vector<std::string> words;
  };

  [[nodiscard]] int closeness(const Entry &entry) const;
  [[nodiscard]] const Entry *entry_of(const std::string &file) const;
  [[nodiscard]] const Entry *unity_entry_of(const std::string &source) const;

  const Disk *disk_ = nullptr;
  const Spec *spec_ = nullptr;
  std::vector<Entry> entries_;
};

// Splits a whole command line, as compile_commands.json has it, into what CompileCommand holds. Launchers ahead of the compiler
// (ccache) are left out, response files (@file) expanded.
[[nodiscard]] Result<CompileCommand> read_command(const Disk &disk, const std::vector<std::string> &words,
                                                  const std::string &directory, const std::string &file);

} // namespace kopt
