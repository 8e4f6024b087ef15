// Disk: the file system as KernelOpt uses it. Tests replace it by MemoryDisk.
#pragma once

#include "core/error.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kopt {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>; // name: contents

class Disk {
public:
  virtual ~Disk() = default;
  [[nodiscard]] virtual Result<std::string> read(const fs::path &path) const = 0;
  // Creates missing folders, writes under a temporary name in the same folder, renames. An existing file with these contents is
  // left alone.
  virtual Result<void> write(const fs::path &path, std::string_view contents) = 0;
  [[nodiscard]] virtual bool exists(const fs::path &path) const = 0;
  // Paths of the regular files below `folder`, sorted; empty where there is no such folder.
  [[nodiscard]] virtual std::vector<fs::path> files_below(const fs::path &folder) const = 0;
  virtual Result<void> remove(const fs::path &path) = 0;
  // Puts a file in the place of another, in one step.
  virtual Result<void> rename(const fs::path &from, const fs::path &to) = 0;
  // Makes `folder` hold these files, by name, and nothing else: whoever looks sees it as it was or as it shall be. It is made
  // ready as `aside`, which must lie on the same file system; what a killed process left there is removed. Where the file
  // system cannot exchange folders, the files are replaced one by one, `last` taken away first and written last.
  virtual Result<void> replace_folder(const fs::path &folder, const Files &files, const fs::path &aside,
                                      const std::string &last) = 0;
};

class RealDisk final : public Disk {
public:
  [[nodiscard]] Result<std::string> read(const fs::path &path) const override;
  Result<void> write(const fs::path &path, std::string_view contents) override;
  [[nodiscard]] bool exists(const fs::path &path) const override;
  [[nodiscard]] std::vector<fs::path> files_below(const fs::path &folder) const override;
  Result<void> remove(const fs::path &path) override;
  Result<void> rename(const fs::path &from, const fs::path &to) override;
  Result<void> replace_folder(const fs::path &folder, const Files &files, const fs::path &aside,
                              const std::string &last) override;
};

// A disk in memory. `refuse_writes` stands for a read-only file system, `space` for one that fills up.
class MemoryDisk final : public Disk {
public:
  std::map<fs::path, std::string> files;
  bool refuse_writes = false;
  std::optional<std::size_t> space; // bytes that can still be written

  [[nodiscard]] Result<std::string> read(const fs::path &path) const override;
  Result<void> write(const fs::path &path, std::string_view contents) override;
  [[nodiscard]] bool exists(const fs::path &path) const override;
  [[nodiscard]] std::vector<fs::path> files_below(const fs::path &folder) const override;
  Result<void> remove(const fs::path &path) override;
  Result<void> rename(const fs::path &from, const fs::path &to) override;
  Result<void> replace_folder(const fs::path &folder, const Files &files, const fs::path &aside,
                              const std::string &last) override;
};

} // namespace kopt
