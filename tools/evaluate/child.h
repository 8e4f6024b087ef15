// Child: an untrusted process of ours, in its own session, with no environment and no file but the arena and two pipes. It is
// killed as a group.
#pragma once

#include "core/error.h"
#include "evaluate/protocol.h"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kopt {

class Child {
public:
  // Runs `words` with `arena` as its memory file.
  static Result<Child> start(const std::vector<std::string> &words, int arena);
  Child(Child &&other) noexcept;
  Child &operator=(Child &&other) noexcept;
  ~Child(); // kills

  enum class Answer { Record, Timeout, Ended };

  [[nodiscard]] bool send(const void *bytes, std::size_t size);
  // Waits for one whole record.
  [[nodiscard]] Answer receive(protocol::Record &record, std::chrono::nanoseconds patience);
  // Bytes that the child sent without being asked.
  [[nodiscard]] bool has_unread() const;
  // Threads of the child now; 0 if that cannot be told.
  [[nodiscard]] int threads() const;
  // Why it ended, after Answer::Ended: "killed by signal 9 (Killed)".
  [[nodiscard]] std::string ending();
  void kill();

private:
  Child() = default;
  pid_t pid_ = -1;
  int requests_ = -1, records_ = -1;
  int wait_status_ = 0;
};

} // namespace kopt
