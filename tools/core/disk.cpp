#include "core/disk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace kopt {

namespace {

Error system_error(const std::string &what, const fs::path &path, int code) {
  std::string remedy;
  if (code == EACCES || code == EPERM || code == EROFS) remedy = "check the permissions of " + path.parent_path().string();
  if (code == ENOSPC || code == EDQUOT || code == EFBIG)
    remedy = "free some space on its file system and run the same command again";
  return Error{what + ": " + std::strerror(code), path.string(), remedy};
}

// Writes everything or reports errno.
int write_all(int file, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

} // namespace

Result<std::string> RealDisk::read(const fs::path &path) const {
  std::error_code code;
  if (fs::is_directory(path, code)) return fail("is a folder, not a file", path.string());
  std::ifstream file(path, std::ios::binary);
  if (!file) return tl::make_unexpected(system_error("cannot read", path, errno));
  std::ostringstream contents;
  contents << file.rdbuf();
  if (file.bad()) return tl::make_unexpected(system_error("cannot read", path, errno));
  return std::move(contents).str();
}

Result<void> RealDisk::write(const fs::path &path, std::string_view contents) {
  if (const auto present = exists(path) ? read(path) : Result<std::string>(fail("absent")); present && *present == contents)
    return {};
  std::error_code code;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), code);
  if (code) return tl::make_unexpected(system_error("cannot create folder", path.parent_path(), code.value()));
  // mkstemp makes 0600 files; these are ordinary files that the user's umask should govern.
  std::string temporary = path.string() + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0) return tl::make_unexpected(system_error("cannot write", path, errno));
  const mode_t mask = ::umask(0);
  ::umask(mask);
  int failure = ::fchmod(file, 0666 & ~mask) != 0 ? errno : write_all(file, contents);
  if (failure == 0 && ::fsync(file) != 0) failure = errno;
  if (::close(file) != 0 && failure == 0) failure = errno;
  if (failure == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) failure = errno;
  if (failure == 0) return {};
  ::unlink(temporary.c_str());
  return tl::make_unexpected(system_error("cannot write", path, failure));
}

bool RealDisk::exists(const fs::path &path) const {
  std::error_code code;
  return fs::exists(path, code);
}

std::vector<fs::path> RealDisk::files_below(const fs::path &folder) const {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<void> RealDisk::remove(const fs::path &path) {
  std::error_code code;
  fs::remove(path, code);
  if (code) return tl::make_unexpected(system_error("cannot remove", path, code.value()));
  return {};
}

Result<void> RealDisk::rename(const fs::path &from, const fs::path &to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return tl::make_unexpected(system_error("cannot write", to, errno));
}

namespace {

// Exchanges two folders in one step; false where the file system cannot.
bool exchange(const fs::path &a, const fs::path &b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

Result<void> remove_tree(const fs::path &folder) {
  std::error_code code;
  fs::remove_all(folder, code);
  if (code) return tl::make_unexpected(system_error("cannot remove", folder, code.value()));
  return {};
}

// Without `last` the folder means nothing, so at no time does it mean something wrong.
Result<void> replace_one_by_one(Disk &disk, const fs::path &folder, const Files &files, const std::string &last) {
  KOPT_CHECK(disk.remove(folder / last));
  for (const fs::path &present : disk.files_below(folder))
    if (!files.contains(present.lexically_relative(folder).string())) KOPT_CHECK(disk.remove(present));
  for (const auto &[name, contents] : files)
    if (name != last) KOPT_CHECK(disk.write(folder / name, contents));
  if (const auto final = files.find(last); final != files.end()) KOPT_CHECK(disk.write(folder / last, final->second));
  return {};
}

} // namespace

Result<void> RealDisk::replace_folder(const fs::path &folder, const Files &files, const fs::path &aside,
                                      const std::string &last) {
  KOPT_CHECK(remove_tree(aside));
  for (const auto &[name, contents] : files) {
    if (auto written = write(aside / name, contents); !written) {
      (void)remove_tree(aside);
      return written;
    }
  }
  std::error_code code;
  fs::create_directories(folder.parent_path(), code);
  const bool placed = exists(folder) ? exchange(aside, folder) : !code && ::rename(aside.c_str(), folder.c_str()) == 0;
  if (!placed) KOPT_CHECK(replace_one_by_one(*this, folder, files, last));
  return remove_tree(aside);
}

Result<std::string> MemoryDisk::read(const fs::path &path) const {
  const auto file = files.find(path);
  if (file == files.end()) return fail("cannot read: No such file or directory", path.string());
  return file->second;
}

Result<void> MemoryDisk::write(const fs::path &path, std::string_view contents) {
  if (refuse_writes) return tl::make_unexpected(system_error("cannot write", path, EROFS));
  if (space && *space < contents.size()) return tl::make_unexpected(system_error("cannot write", path, ENOSPC));
  if (space) *space -= contents.size();
  files[path] = contents;
  return {};
}

bool MemoryDisk::exists(const fs::path &path) const {
  if (files.contains(path)) return true;
  return !files_below(path).empty();
}

std::vector<fs::path> MemoryDisk::files_below(const fs::path &folder) const {
  std::vector<fs::path> found;
  const std::string prefix = folder.string() + "/";
  for (const auto &[path, contents] : files)
    if (path.string().starts_with(prefix)) found.push_back(path);
  return found;
}

Result<void> MemoryDisk::remove(const fs::path &path) {
  if (refuse_writes) return tl::make_unexpected(system_error("cannot remove", path, EROFS));
  files.erase(path);
  return {};
}

Result<void> MemoryDisk::rename(const fs::path &from, const fs::path &to) {
  KOPT_TRY(contents, read(from));
  KOPT_CHECK(write(to, contents));
  return remove(from);
}

Result<void> MemoryDisk::replace_folder(const fs::path &folder, const Files &replacing, const fs::path &, const std::string &) {
  const auto before = files;
  for (const fs::path &present : files_below(folder)) files.erase(present);
  for (const auto &[name, contents] : replacing) {
    if (auto written = write(folder / name, contents); !written) {
      files = before;
      return written;
    }
  }
  return {};
}

} // namespace kopt
