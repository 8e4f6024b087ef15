#include "source/toolchain.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace kopt {
namespace {

// Options that decide which headers a compiler takes for its own.
bool chooses_headers(const std::string &word) {
  static constexpr std::array<std::string_view, 9> options{
      "-std=", "--std=", "-m32", "-m64", "-stdlib=", "--sysroot=", "-isysroot", "-nostdinc+", "--gcc-toolchain"};
  return std::any_of(options.begin(), options.end(), [&](std::string_view option) { return word.starts_with(option); });
}

std::vector<std::string> question_for(const CompileCommand &command) {
  std::vector<std::string> words{command.compiler, "-E", "-v", "-x", "c++"};
  for (std::size_t k = 0; k < command.arguments.size(); ++k) {
    if (!chooses_headers(command.arguments[k])) continue;
    words.push_back(command.arguments[k]);
    if (command.arguments[k] == "-isysroot" && k + 1 < command.arguments.size()) words.push_back(command.arguments[++k]);
  }
  words.emplace_back("/dev/null");
  return words;
}

// Headers that belong to the compiler and not to the library: Clang has its own.
bool is_builtin(const std::string &folder) {
  return (folder.find("/gcc/") != std::string::npos || folder.find("/gcc-") != std::string::npos ||
          folder.find("/lib/clang/") != std::string::npos) &&
         (folder.ends_with("/include") || folder.ends_with("/include-fixed"));
}

} // namespace

std::vector<std::string> include_folders(std::string_view report) {
  constexpr std::string_view start = "#include <...> search starts here:\n", end = "End of search list";
  const auto from = report.find(start);
  const auto to = report.find(end, from == std::string_view::npos ? 0 : from);
  if (from == std::string_view::npos || to == std::string_view::npos) return {};
  std::vector<std::string> folders;
  std::string_view rest = report.substr(from + start.size(), to - from - start.size());
  while (!rest.empty()) {
    const auto line_end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, line_end);
    rest.remove_prefix(std::min(line_end + 1, rest.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.empty()) folders.push_back(fs::path(line).lexically_normal().string());
  }
  return folders;
}

const std::vector<std::string> &Toolchain::folders_of(const std::vector<std::string> &question) {
  const auto known = known_.find(question);
  if (known != known_.end()) return known->second;
  Command ask;
  ask.words = question;
  ask.environment["LC_ALL"] = "C"; // the report is read, so it must not be translated
  ask.timeout = std::chrono::seconds(20);
  const auto outcome = processes_->run(ask);
  return known_[question] = outcome && outcome->succeeded() ? include_folders(outcome->errors) : std::vector<std::string>();
}

CompileCommand Toolchain::completed(CompileCommand command) {
  const auto &folders = folders_of(question_for(command));
  if (folders.empty()) return command;
  auto &arguments = command.clang_arguments;
  arguments.insert(arguments.end(), {"-nostdinc", "-nostdinc++"});
  bool builtin_named = false;
  for (const std::string &folder : folders) {
    if (is_builtin(folder) && builtin_named) continue;
    arguments.emplace_back("-isystem");
    arguments.push_back(is_builtin(folder) ? KOPT_RESOURCE_DIR "/include" : folder);
    builtin_named = builtin_named || is_builtin(folder);
  }
  for (const std::string &folder : folders) // what Clang has no header of its own for: omp.h, quadmath.h
    if (is_builtin(folder)) arguments.insert(arguments.end(), {"-idirafter", folder});
  return command;
}

} // namespace kopt
