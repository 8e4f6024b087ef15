// Lock: one process at a time. It belongs to the process that took it and ends with it, however that ends.
#pragma once

#include "core/disk.h"
#include "core/error.h"

namespace kopt {

class Lock {
public:
  // Takes the lock that `file` stands for, making the file where it is missing. An Error where another process has it, naming
  // that process and its host. On a file system without locks it is taken by everybody: there it protects nothing, but stands
  // in nobody's way.
  static Result<Lock> take(const fs::path &file);

  Lock(Lock &&other) noexcept : file_(other.file_) { other.file_ = -1; }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
  Lock &operator=(Lock &&) = delete;
  ~Lock();

private:
  explicit Lock(int file) : file_(file) {}
  int file_;
};

} // namespace kopt
