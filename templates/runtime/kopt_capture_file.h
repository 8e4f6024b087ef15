// A file of a capture: what the recorder writes, under a temporary name until it is whole. Contents are copied by the kernel,
// which says so where memory cannot be read instead of ending the application. The text is hashed on its way
// (docs/formats.md, "Recordings").
#ifndef KOPT_CAPTURE_FILE_H
#define KOPT_CAPTURE_FILE_H

#include "kopt_capture_memory.h"

#include <cstdint>

namespace kopt_capture {

class File {
public:
  explicit File(std::string path) : path_(std::move(path)), part_(path_ + ".part." + std::to_string(getpid())) {
    file_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file_ < 0) fail(std::string("cannot create ") + part_ + ": " + std::strerror(errno));
  }
  ~File() {
    if (file_ >= 0) close(file_);
    if (file_ >= 0 && !kept_) unlink(part_.c_str());
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  void text(const std::string &text) {
    for (size_t done = 0; done < text.size() && !failed();) {
      const size_t count = room(text.size() - done);
      std::memcpy(chunk_ + used_, text.data() + done, count);
      used_ += count;
      done += count;
    }
  }
  void line(const std::string &line) { text(line + '\n'); }

  // `size` bytes of the application's memory.
  void memory(const char *data, unsigned long long size) {
    for (unsigned long long done = 0; done < size && !failed();) {
      const size_t count = room(size - done);
      if (!copy_memory(chunk_ + used_, data + done, count)) {
        fail("memory cannot be read");
        return;
      }
      used_ += count;
      done += count;
    }
  }

  // The hash of everything until here.
  unsigned long long hash() {
    flush();
    return mixed(hash_, written_);
  }

  bool keep() {
    flush();
    if (failed()) return false;
    kept_ = rename(part_.c_str(), path_.c_str()) == 0;
    if (!kept_) fail(std::string("cannot create ") + path_ + ": " + std::strerror(errno));
    return kept_;
  }

  bool failed() const { return !trouble_.empty(); }
  const std::string &trouble() const { return trouble_; } // the first

private:
  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9fb21c651e98df25ULL;
    return hash ^ (hash >> 32);
  }

  // Bytes that may be added now, at most `wanted`.
  size_t room(unsigned long long wanted) {
    if (used_ == sizeof chunk_) flush();
    const size_t left = sizeof chunk_ - used_;
    return wanted < left ? static_cast<size_t>(wanted) : left;
  }

  // Only the last flush before the hash is asked for may end within a word.
  void flush() {
    for (size_t at = 0; at < used_; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, chunk_ + at, used_ - at < 8 ? used_ - at : 8);
      hash_ = mixed(hash_, word);
    }
    written_ += used_;
    for (size_t done = 0; done < used_ && !failed();) {
      const ssize_t count = write(file_, chunk_ + done, used_ - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail(std::string("cannot write ") + part_ + ": " + std::strerror(errno));
      if (count > 0) done += static_cast<size_t>(count);
    }
    used_ = 0;
  }

  void fail(const std::string &what) {
    if (trouble_.empty()) trouble_ = what;
  }

  std::string path_, part_, trouble_;
  int file_ = -1;
  bool kept_ = false;
  std::uint64_t hash_ = 0, written_ = 0;
  size_t used_ = 0;
  char chunk_[1 << 16];
};

} // namespace kopt_capture

#endif
