// Templates: texts that a user may read and override (templates/ in the source tree), with places `@KOPT_NAME@` to be filled
// in.
#pragma once

#include "core/disk.h"
#include "core/options.h"

#include <map>
#include <string>
#include <vector>

namespace kopt {

class Templates {
public:
  // Folders in which a template is looked for, the first that has it wins.
  Templates(const Disk &disk, std::vector<fs::path> folders) : disk_(disk), folders_(std::move(folders)) {}

  // The user's own folder, then KernelOpt's: the environment's KOPT_TEMPLATE_DIR, or share/KernelOpt/templates beside an
  // installed kopt, or the source tree's. Each has a subfolder per platform; the user's own may have the files themselves.
  static Templates find(const Disk &disk, const Options::Environment &environment, const fs::path &program,
                        const std::string &own, const std::string &platform);

  // The template <name>.in with its places filled in. An Error names a place that has no value, or all folders where it is
  // nowhere.
  [[nodiscard]] Result<std::string> fill(const std::string &name, const std::map<std::string, std::string> &values) const;

private:
  const Disk &disk_;
  std::vector<fs::path> folders_;
};

} // namespace kopt
