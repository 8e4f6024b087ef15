#include "source/homes.h"

#include "core/include.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace kopt {
namespace {

// Follows #include lines as text, each file read once.
class Includes {
public:
  Includes(const Disk &disk, const fs::path &header) : disk_(disk), header_(header) {}

  struct File {
    std::string text;
    std::vector<IncludeLine> lines;
  };
  const File &file(const fs::path &path) {
    const auto [found, added] = files_.try_emplace(path);
    if (added) {
      found->second.text = disk_.read(path).value_or("");
      found->second.lines = include_lines(found->second.text);
    }
    return found->second;
  }

  // The file that a line means, or nothing if it is none in these folders.
  std::optional<fs::path> resolved(const IncludeLine &line, const fs::path &from, const std::vector<fs::path> &folders) const {
    std::vector<fs::path> candidates;
    if (line.quoted) candidates.push_back(from.parent_path() / line.spelled);
    for (const fs::path &folder : folders) candidates.push_back(folder / line.spelled);
    for (const fs::path &candidate : candidates)
      if (disk_.exists(candidate)) return candidate.lexically_normal();
    return std::nullopt;
  }

  // Headers on the way from `from` to the header, `from` first; empty if it does not lead there.
  std::vector<fs::path> way(const fs::path &from, const std::vector<fs::path> &folders, std::set<fs::path> &seen) {
    if (!seen.insert(from).second) return {};
    for (const IncludeLine &line : file(from).lines) {
      const auto next = resolved(line, from, folders);
      if (!next) continue;
      if (*next == header_) return {from};
      if (auto rest = way(*next, folders, seen); !rest.empty()) {
        rest.insert(rest.begin(), from);
        return rest;
      }
    }
    return {};
  }

private:
  const Disk &disk_;
  fs::path header_;
  std::map<fs::path, File> files_;
};

// -I and -iquote folders of a command. System folders hold no project header.
std::vector<fs::path> folders_of(const CompileCommand &command) {
  std::vector<fs::path> folders;
  const auto &words = command.clang_arguments;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if ((words[k] == "-I" || words[k] == "-iquote") && k + 1 < words.size())
      folders.push_back(fs::path(command.directory) / words[k + 1]);
    else if (words[k].starts_with("-I"))
      folders.push_back(fs::path(command.directory) / words[k].substr(2));
    else if (words[k].starts_with("-iquote"))
      folders.push_back(fs::path(command.directory) / words[k].substr(7));
  }
  return folders;
}

class HomeSearch {
public:
  HomeSearch(const Disk &disk, const KernelName &kernel, const fs::path &header)
      : kernel_(kernel), header_(header), includes_(disk, header) {}

  // Whether a source is a home, or an Error.
  Result<bool> is_home(const std::string &source, const CompileCommand &command) {
    const auto folders = folders_of(command);
    std::optional<int> direct;
    std::vector<fs::path> way;
    int way_line = 0;
    for (const IncludeLine &line : includes_.file(source).lines) {
      const auto target = includes_.resolved(line, source, folders);
      if (!target) continue;
      std::set<fs::path> seen{source};
      if (*target == header_)
        direct = direct.value_or(line.line);
      else if (way.empty() && !(way = includes_.way(*target, folders, seen)).empty())
        way_line = line.line;
    }
    if (direct && (way.empty() || (*direct < way_line && !once()))) return true;
    if (way.empty() || (!direct && !calls(source, way))) return false;
    return refusal(source, direct, way.front(), way_line);
  }

private:
  bool once() { return !once_pragmas(includes_.file(header_).text).empty(); }

  // Whether any text on the way may call the kernel: another inline function of the header, too.
  bool calls(const std::string &source, const std::vector<fs::path> &way) {
    if (mentions(includes_.file(source).text, kernel_.word()) ||
        mention_count(includes_.file(header_).text, kernel_.word()) > 1)
      return true;
    return std::any_of(way.begin(), way.end(),
                       [&](const fs::path &header) { return mentions(includes_.file(header).text, kernel_.word()); });
  }

  Result<bool> refusal(const std::string &source, std::optional<int> direct, const fs::path &through, int line) {
    const std::string header = header_.string(), name = header_.filename().string();
    const std::string what = "the kernel '" + kernel_.text + "' is defined in the header " + header + ", which " + source;
    const std::string where = source + ":" + std::to_string(line);
    if (direct && *direct < line)
      return fail(what + " includes itself and, since " + name + " has #pragma once, cannot include through " +
                      through.filename().string() + " as well",
                  where, "give " + name + " an include guard (#ifndef ... #define ...) in place of #pragma once");
    return fail(what + (direct ? " includes first" : " includes only") + " through " + through.filename().string(), where,
                "include " + name + " in that source itself, ahead of " + through.filename().string() +
                    ", or move the kernel into a source of the target");
  }

  const KernelName &kernel_;
  fs::path header_;
  Includes includes_;
};

} // namespace

Result<std::vector<std::string>> homes_of(const Disk &disk, const Spec &spec, const CompileCommands &commands,
                                          const KernelName &kernel, const std::string &file) {
  if (std::find(spec.sources.begin(), spec.sources.end(), file) != spec.sources.end()) return std::vector<std::string>{file};
  HomeSearch search(disk, kernel, file);
  std::vector<std::string> homes;
  for (const std::string &source : spec.sources) {
    const auto command = commands.command_for(source);
    KOPT_TRY(home, search.is_home(source, command ? *command : CompileCommand{}));
    if (home) homes.push_back(source);
  }
  if (homes.empty())
    return fail("the kernel '" + kernel.text + "' is defined in " + file + ", which no source of the target includes itself",
                file, "include it in a source of the target, or move the kernel into one");
  return homes;
}

} // namespace kopt
