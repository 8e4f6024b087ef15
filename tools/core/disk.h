// Disk: the file system as KernelOpt uses it. Tests replace it by MemoryDisk.
#pragma once

#include "core/error.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kopt {

namespace fs = std::filesystem;

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
};

class RealDisk final : public Disk {
public:
  [[nodiscard]] Result<std::string> read(const fs::path &path) const override;
  Result<void> write(const fs::path &path, std::string_view contents) override;
  [[nodiscard]] bool exists(const fs::path &path) const override;
  [[nodiscard]] std::vector<fs::path> files_below(const fs::path &folder) const override;
  Result<void> remove(const fs::path &path) override;
};

// A disk in memory. `refuse_writes` stands for a read-only or full file system.
class MemoryDisk final : public Disk {
public:
  std::map<fs::path, std::string> files;
  bool refuse_writes = false;

  [[nodiscard]] Result<std::string> read(const fs::path &path) const override;
  Result<void> write(const fs::path &path, std::string_view contents) override;
  [[nodiscard]] bool exists(const fs::path &path) const override;
  [[nodiscard]] std::vector<fs::path> files_below(const fs::path &folder) const override;
  Result<void> remove(const fs::path &path) override;
};

} // namespace kopt
