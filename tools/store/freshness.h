// Freshness: whether an accepted variant still belongs to the sources as they are, decided from text alone, without LLVM.
// It does where each piece that the kernel's closure was made of, the kernel itself among them, still stands in its file, word
// for word, at any place; and where the anchor still stands in the kernel's piece. Edits elsewhere in these files do not
// matter. Otherwise the variant is *stale*: the original is built.
#pragma once

#include "core/disk.h"
#include "core/record.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kopt {

// Files as they are now, each read once.
class Sources {
public:
  explicit Sources(const Disk &disk) : disk_(disk) {}
  // Nothing if the file cannot be read.
  [[nodiscard]] const std::string *text(const fs::path &file);

private:
  const Disk &disk_;
  std::map<fs::path, std::optional<std::string>> texts_;
};

// The file that holds the kernel's definition: the record's source, or a header of it.
[[nodiscard]] fs::path file_of_anchor(const Record &record, const fs::path &directory);

// Where in that file the kernel's anchor stands, if the variant is fresh. Else an Error: what changed, in
// which file and line, and the remedy. Paths of the record are relative to `directory`.
[[nodiscard]] Result<long> check_fresh(Sources &sources, const Record &record, const fs::path &directory);

// Offset in `text` of a piece's exact text: `guess`, or else the occurrence nearest to it; only places at which a piece can
// begin are looked at: lines, and declarations within a line.
[[nodiscard]] std::optional<long> find_piece(std::string_view text, const Piece &piece, long guess);

} // namespace kopt
