// Toolchain: where the target's own compiler finds its headers. Clang parses what that compiler compiles, so it must read the
// same standard library, and, behind a wrapper such as mpic++, the folders that the wrapper adds on its own.
#pragma once

#include "core/process.h"
#include "source/command.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kopt {

// Asks compilers for their folders, each compiler with the same flags once.
class Toolchain {
public:
  explicit Toolchain(Processes &processes) : processes_(&processes) {}

  // The command with clang_arguments completed. A compiler that cannot be asked leaves the command as it is: Clang's own
  // search then decides.
  [[nodiscard]] CompileCommand completed(CompileCommand command);

private:
  const std::vector<std::string> &folders_of(const std::vector<std::string> &question);

  Processes *processes_;
  std::map<std::vector<std::string>, std::vector<std::string>> known_;
};

// The folders for #include <...> in what `<compiler> -E -v` prints on stderr (GCC and Clang print the same form).
[[nodiscard]] std::vector<std::string> include_folders(std::string_view report);

} // namespace kopt
