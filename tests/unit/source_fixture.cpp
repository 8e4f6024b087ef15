#include "source_fixture.h"

#include "core/disk.h"
#include "core/process.h"

#include <sstream>
#include <unistd.h>

namespace kopt::fixture {
namespace {

std::string trimmed(const std::string &line) {
  const auto begin = line.find_first_not_of(" \t"), end = line.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
}

} // namespace

Project::Project(const std::string &name, const std::string &text)
    : folder_(fs::current_path() / ("source_fixture." + std::to_string(getpid())) / name) {
  std::istringstream lines(text);
  std::string file = "kernel.cpp";
  for (std::string line; std::getline(lines, line);) {
    const std::string file_mark = "//! file ", key_mark = "// kopt-";
    if (line.starts_with(file_mark)) {
      file = line.substr(file_mark.size());
      continue;
    }
    files_[file] += line + "\n";
    if (const auto colon = line.find(": "); line.starts_with(key_mark) && colon != std::string::npos)
      values_.emplace(line.substr(key_mark.size(), colon - key_mark.size()), line.substr(colon + 2));
  }
  RealDisk disk;
  Json commands = Json::array();
  for (const auto &[path, contents] : files_) {
    (void)disk.write(folder_ / path, contents);
    if (!path.ends_with(".cpp")) continue;
    const std::string flags = value("flags").empty() ? "" : value("flags") + " ";
    commands.push_back({{"directory", folder_.string()},
                        {"command", "/usr/bin/g++ -std=c++20 -O2 " + flags + "-I" + folder_.string() + " -o CMakeFiles/t.dir/" +
                                        path + ".o -c " + (folder_ / path).string()},
                        {"file", (folder_ / path).string()}});
  }
  (void)disk.write(folder_ / "compile_commands.json", commands.dump(1));
}

Project::~Project() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  fs::remove(folder_.parent_path(), ignored);
}

Spec Project::spec() const {
  Spec spec;
  spec.path = folder_ / "spec.json";
  spec.target = "t";
  spec.directory = spec.source_root = folder_;
  spec.build_root = folder_ / "build";
  spec.work_dir = folder_ / "build/kopt/t";
  spec.compile_commands = folder_ / "compile_commands.json";
  spec.compiler = "/usr/bin/g++";
  for (const auto &[path, contents] : files_)
    if (path.ends_with(".cpp")) spec.sources.push_back((folder_ / path).string());
  spec.kernels = values("kernel");
  return spec;
}

std::vector<std::string> Project::values(const std::string &key) const {
  std::vector<std::string> found;
  for (auto [at, end] = values_.equal_range(key); at != end; ++at) found.push_back(at->second);
  return found;
}

std::string Project::value(const std::string &key) const {
  const auto found = values(key);
  return found.empty() ? "" : found.front();
}

std::vector<std::string> Project::marked(const std::string &mark) const {
  std::vector<std::string> found;
  for (const auto &[path, contents] : files_) {
    std::istringstream lines(contents);
    for (std::string line; std::getline(lines, line);)
      if (line.ends_with(" // " + mark)) found.push_back(trimmed(line.substr(0, line.size() - mark.size() - 4)));
  }
  return found;
}

} // namespace kopt::fixture
