#include "source/command.h"

#include "core/process.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace kopt {
namespace {

// How an option carries its value.
enum class Shape {
  Alone,   // -ffast-math
  Prefix,  // -std=c++20: the value is joined
  Either,  // -Idir or -I dir
  Separate // -o file
};

// What becomes of an option.
enum class Use {
  Clang,     // kept, and passed to Clang
  ClangPath, // the same, and the value is a path, made absolute
  Drop       // belongs to compiling one file to one object, not to the code
};

struct Rule {
  std::string_view option;
  Shape shape;
  Use use;
};

// The first rule that fits decides. An option without a rule stays with the original compiler and is not shown to Clang.
constexpr std::array rules{
    Rule{"-o", Shape::Either, Use::Drop},
    Rule{"-c", Shape::Alone, Use::Drop},
    Rule{"-MD", Shape::Alone, Use::Drop},
    Rule{"-MMD", Shape::Alone, Use::Drop},
    Rule{"-MP", Shape::Alone, Use::Drop},
    Rule{"-MF", Shape::Either, Use::Drop},
    Rule{"-MT", Shape::Either, Use::Drop},
    Rule{"-MQ", Shape::Either, Use::Drop},
    Rule{"-Winvalid-pch", Shape::Alone, Use::Drop},
    Rule{"-isystem", Shape::Either, Use::ClangPath},
    Rule{"-iquote", Shape::Either, Use::ClangPath},
    Rule{"-idirafter", Shape::Either, Use::ClangPath},
    Rule{"-include", Shape::Either, Use::ClangPath},
    Rule{"-imacros", Shape::Either, Use::ClangPath},
    Rule{"-isysroot", Shape::Either, Use::ClangPath},
    Rule{"--sysroot=", Shape::Prefix, Use::Clang},
    Rule{"-I", Shape::Either, Use::ClangPath},
    Rule{"-D", Shape::Either, Use::Clang},
    Rule{"-U", Shape::Either, Use::Clang},
    Rule{"-std=", Shape::Prefix, Use::Clang},
    Rule{"--std=", Shape::Prefix, Use::Clang},
    Rule{"-stdlib=", Shape::Prefix, Use::Clang},
    Rule{"-nostdinc++", Shape::Alone, Use::Clang},
    Rule{"-O", Shape::Prefix, Use::Clang},
    Rule{"-march=", Shape::Prefix, Use::Clang},
    Rule{"-mavx", Shape::Prefix, Use::Clang},
    Rule{"-msse", Shape::Prefix, Use::Clang},
    Rule{"-mfma", Shape::Alone, Use::Clang},
    Rule{"-m32", Shape::Alone, Use::Clang},
    Rule{"-m64", Shape::Alone, Use::Clang},
    Rule{"-pthread", Shape::Alone, Use::Clang},
    Rule{"-fPIC", Shape::Alone, Use::Clang},
    Rule{"-fPIE", Shape::Alone, Use::Clang},
    Rule{"-ffast-math", Shape::Alone, Use::Clang},
    Rule{"-fno-exceptions", Shape::Alone, Use::Clang},
    Rule{"-fno-rtti", Shape::Alone, Use::Clang},
    Rule{"-fshort-enums", Shape::Alone, Use::Clang},
    Rule{"-funsigned-char", Shape::Alone, Use::Clang},
    Rule{"-fsigned-char", Shape::Alone, Use::Clang},
};

// Values of options that have no rule and take one in the next word: it must not be taken for the input.
constexpr std::array<std::string_view, 7> takes_value{"-x",        "-Xlinker", "-Xassembler", "-Xpreprocessor",
                                                      "-aux-info", "--param",  "-B"};

// Programs that run the compiler given after them.
constexpr std::array<std::string_view, 8> launchers{"ccache", "sccache",    "distcc", "icecc",
                                                    "icerun", "buildcache", "gomacc", "nice"};

// Where the compiler stands in a command.
std::size_t compiler_index(const std::vector<std::string> &words) {
  // cmake -E __run_co_compile --launcher=ccache ... -- c++ ...: what CMake makes of a launcher together with an analyser.
  if (std::find(words.begin(), words.end(), "__run_co_compile") != words.end()) {
    const auto dashes = std::find(words.begin(), words.end(), "--");
    if (dashes != words.end() && dashes + 1 != words.end()) return static_cast<std::size_t>(dashes + 1 - words.begin());
  }
  std::size_t i = 0;
  while (i + 1 < words.size() && words[i + 1][0] != '-' &&
         std::find(launchers.begin(), launchers.end(), fs::path(words[i]).filename()) != launchers.end())
    ++i;
  return i;
}

const Rule *rule_for(const std::string &word) {
  for (const Rule &rule : rules) {
    const bool exact = word == rule.option;
    if (exact || (rule.shape != Shape::Alone && rule.shape != Shape::Separate && word.starts_with(rule.option))) return &rule;
  }
  return nullptr;
}

std::string absolute(const std::string &path, const std::string &directory) {
  return (fs::path(path).is_absolute() ? fs::path(path) : fs::path(directory) / path).lexically_normal().string();
}

// Replaces @file by the words in it, as deep as they go.
Result<std::vector<std::string>> expanded(const Disk &disk, const std::vector<std::string> &words, const std::string &directory,
                                          int depth = 0) {
  std::vector<std::string> all;
  for (const std::string &word : words) {
    if (word.size() < 2 || word[0] != '@') {
      all.push_back(word);
      continue;
    }
    const std::string file = absolute(word.substr(1), directory);
    if (depth > 8) return fail("response files include each other", file, "look at the compile command of this source");
    KOPT_TRY(text, disk.read(file));
    KOPT_TRY(inner, expanded(disk, shell_split(text), directory, depth + 1));
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

// Walks over the words of a command and sorts them.
class Sorter {
public:
  Sorter(CompileCommand &command, std::string file) : command_(command), file_(std::move(file)) {}

  void sort(const std::vector<std::string> &words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string &word = words[i];
      const std::string *next = i + 1 < words.size() ? &words[i + 1] : nullptr;
      // Clang reads the text that OpenMP enables but takes its pragmas for comments: the model is of the loops as they are
      // written.
      if (word == "-fopenmp") command_.clang_arguments.emplace_back("-D_OPENMP=201511");
      if (const Rule *rule = rule_for(word)) {
        i += apply(*rule, word, next);
      } else if (word[0] != '-' && absolute(word, command_.directory) == file_) {
        continue; // the input
      } else {
        command_.arguments.push_back(word);
        if (next && std::find(takes_value.begin(), takes_value.end(), word) != takes_value.end()) {
          command_.arguments.push_back(*next);
          ++i;
        }
      }
    }
  }

private:
  // Returns how many further words the option took.
  std::size_t apply(const Rule &rule, const std::string &word, const std::string *next) {
    const bool joined = rule.shape == Shape::Alone || word.size() > rule.option.size() || rule.shape == Shape::Prefix;
    std::string value = joined ? word.substr(rule.option.size()) : next ? *next : "";
    if (rule.use == Use::Drop) return joined ? 0 : 1;
    if (rule.use == Use::ClangPath) value = absolute(value, command_.directory);
    if (rule.option == "-D") define(value);
    if (rule.option == "-U") command_.macros.erase(value);
    if (rule.option == "-O") command_.optimizes = value != "0" && value != "g";
    const bool spaced = rule.use == Use::ClangPath && rule.option != "-I";
    for (auto *list : {&command_.arguments, &command_.clang_arguments}) {
      if (spaced) {
        list->emplace_back(rule.option);
        list->push_back(value);
      } else {
        list->push_back(std::string(rule.option) + value);
      }
    }
    return joined ? 0 : 1;
  }

  void define(const std::string &value) {
    const auto equals = value.find('=');
    command_.macros[value.substr(0, equals)] = equals == std::string::npos ? "1" : value.substr(equals + 1);
  }

  CompileCommand &command_;
  std::string file_;
};

} // namespace

Result<CompileCommand> read_command(const Disk &disk, const std::vector<std::string> &words, const std::string &directory,
                                    const std::string &file) {
  if (words.empty()) return fail("an empty compile command", file, "configure the project again");
  const auto compiler = words.begin() + static_cast<long>(compiler_index(words));
  CompileCommand command;
  command.compiler = *compiler;
  command.directory = directory;
  command.source = file;
  KOPT_TRY(all, expanded(disk, {compiler + 1, words.end()}, directory));
  all.erase(std::remove(all.begin(), all.end(), ""), all.end());
  Sorter(command, file).sort(all);
  return command;
}

Result<CompileCommands> CompileCommands::read(const Disk &disk, const Spec &spec) {
  CompileCommands commands;
  commands.disk_ = &disk;
  commands.spec_ = &spec;
  const std::string where = spec.compile_commands.string();
  auto text = disk.read(spec.compile_commands);
  if (!text)
    return fail("no compile commands of target " + spec.target, where, "build the target's project files again with cmake");
  KOPT_TRY(json, parse_json(*text, where));
  for (const Json &item : json) {
    Entry entry;
    entry.directory = item.value("directory", "");
    entry.file = absolute(item.value("file", ""), entry.directory);
    entry.output = item.value("output", "");
    if (item.contains("arguments"))
      entry.words = item["arguments"].get<std::vector<std::string>>();
    else
      entry.words = shell_split(item.value("command", ""));
    const auto output = std::find(entry.words.begin(), entry.words.end(), "-o");
    if (entry.output.empty() && output != entry.words.end() && output + 1 != entry.words.end()) entry.output = *(output + 1);
    commands.entries_.push_back(std::move(entry));
  }
  return commands;
}

// How well an entry fits this target: 2 for its own configuration of several, 1 for the target, 0 for another target. While a
// source is swapped, kopt-originals-<target> holds the entry that it had.
int CompileCommands::closeness(const Entry &entry) const {
  for (const std::string &folder : {"/" + spec_->target + ".dir/", "/kopt-originals-" + spec_->target + ".dir/"}) {
    const auto place = entry.output.find(folder);
    if (place == std::string::npos) continue;
    const std::string_view rest = std::string_view(entry.output).substr(place + folder.size());
    return rest.starts_with(spec_->configuration + "/") ? 2 : 1;
  }
  return 0;
}

const CompileCommands::Entry *CompileCommands::entry_of(const std::string &file) const {
  const Entry *chosen = nullptr;
  for (const Entry &entry : entries_)
    if (entry.file == file && (!chosen || closeness(entry) > closeness(*chosen))) chosen = &entry;
  return chosen;
}

// CMake puts only sources without flags of their own into a unity source, so the flags of both are the same.
const CompileCommands::Entry *CompileCommands::unity_entry_of(const std::string &source) const {
  const Entry *chosen = nullptr;
  for (const Entry &entry : entries_) {
    if (closeness(entry) == 0 || entry.file.find("/Unity/unity_") == std::string::npos) continue;
    const auto text = disk_->read(entry.file);
    if (!text || text->find("#include \"" + source + "\"") == std::string::npos) continue;
    if (!chosen || closeness(entry) > closeness(*chosen)) chosen = &entry;
  }
  return chosen;
}

Result<CompileCommand> CompileCommands::command_for(const std::string &source) const {
  const Entry *own = entry_of(source), *chosen = own && closeness(*own) > 0 ? own : nullptr;
  const auto swapped = spec_->swapped.find(source);
  if (!chosen && swapped != spec_->swapped.end()) chosen = entry_of(swapped->second);
  if (!chosen) chosen = unity_entry_of(source);
  if (!chosen) chosen = own;
  if (!chosen)
    return fail("no compile command of this source", source,
                "see that target " + spec_->target + " compiles it and that " + spec_->compile_commands.string() +
                    " is up to date");
  KOPT_TRY(command, read_command(*disk_, chosen->words, chosen->directory, chosen->file));
  command.source = source;
  if (command.compiler.empty()) command.compiler = spec_->compiler;
  return command;
}

} // namespace kopt
