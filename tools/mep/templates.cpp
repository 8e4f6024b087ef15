#include "mep/templates.h"

#include <fmt/format.h>

namespace kopt {
namespace {

fs::path own_templates(const Disk &disk, const Options::Environment &environment, const fs::path &program) {
  if (auto folder = environment("KOPT_TEMPLATE_DIR"); folder && !folder->empty()) return *folder;
  auto installed = program.parent_path().parent_path() / "share/KernelOpt/templates";
  if (disk.exists(installed / "host/main.cpp.in")) return installed;
  return KOPT_SOURCE_TEMPLATES;
}

} // namespace

Templates Templates::find(const Disk &disk, const Options::Environment &environment, const fs::path &program,
                          const std::string &own, const std::string &platform) {
  std::vector<fs::path> folders;
  if (!own.empty()) folders = {fs::path(own) / platform, own};
  folders.push_back(own_templates(disk, environment, program) / platform);
  return {disk, std::move(folders)};
}

Result<std::string> Templates::fill(const std::string &name, const std::map<std::string, std::string> &values) const {
  for (const auto &folder : folders_) {
    auto path = folder / (name + ".in");
    if (!disk_.exists(path)) continue;
    KOPT_TRY(text, disk_.read(path));
    std::string filled;
    std::size_t begin = 0;
    for (auto at = text.find("@KOPT_"); at != std::string::npos; at = text.find("@KOPT_", begin)) {
      auto end = text.find('@', at + 1);
      auto key = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
      auto value = values.find(key);
      if (end == std::string::npos || value == values.end())
        return fail(fmt::format("the template has a place @{}@ that nothing fills", key.substr(0, 40)), path.string(),
                    "compare with KernelOpt's own template");
      filled += text.substr(begin, at - begin) + value->second;
      begin = end + 1;
    }
    return filled + text.substr(begin);
  }
  std::string looked;
  for (const auto &folder : folders_) looked += (looked.empty() ? "" : ", ") + folder.string();
  return fail(fmt::format("there is no template {}.in", name), looked,
              "install KernelOpt again, or set KOPT_TEMPLATE_DIR to its templates folder");
}

} // namespace kopt
