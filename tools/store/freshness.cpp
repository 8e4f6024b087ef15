#include "store/freshness.h"

#include "core/hash.h"
#include "core/scan.h"
#include "mep/edit.h"
#include "store/store.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace kopt {

namespace {

const char *const remedy = "run `ninja kopt-tune` to optimize it as it is now";

bool stands_at(std::string_view text, const Piece &piece, long offset) {
  if (offset < 0 || piece.length < 0 || offset + piece.length > static_cast<long>(text.size())) return false;
  return hash_of(text.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(piece.length))) == piece.hash;
}

// Beginnings of lines, with and without their indentation, and of declarations within a line.
std::vector<long> places_for_pieces(std::string_view text) {
  std::vector<long> places = declaration_starts(text);
  for (std::size_t line = 0; line < text.size();) {
    places.push_back(static_cast<long>(line));
    const auto word = text.find_first_not_of(" \t", line);
    if (word != std::string_view::npos && word != line) places.push_back(static_cast<long>(word));
    const auto end = text.find('\n', line);
    if (end == std::string_view::npos) break;
    line = end + 1;
  }
  return places;
}

// "type heat::Grid in grid.h": what a user knows a piece by.
std::string described(const Piece &piece) {
  if (piece.kind == "kernel") return fmt::format("the kernel's own text in {}", piece.file);
  return fmt::format("{} {} in {}", piece.kind, piece.name, piece.file);
}

std::string place_of(const std::string &file, int line, const fs::path &directory) {
  return fmt::format("{}:{}", absolute_path(file, directory).string(), line);
}

// Pieces that an edit above them moved, moved by the same distance; it is tried first.
class PieceFinder {
public:
  PieceFinder(Sources &sources, const fs::path &directory) : sources_(sources), directory_(directory) {}

  Result<long> find(const Piece &piece) {
    const std::string *text = sources_.text(absolute_path(piece.file, directory_));
    const std::string where = place_of(piece.file, piece.line, directory_);
    if (!text) return fail(fmt::format("{} is gone: the file cannot be read", described(piece)), where, remedy);
    long &moved = moved_[piece.file];
    const auto offset = find_piece(*text, piece, piece.offset + moved);
    if (!offset) return fail(fmt::format("{} changed", described(piece)), where, remedy);
    moved = *offset - piece.offset;
    return *offset;
  }

private:
  Sources &sources_;
  const fs::path &directory_;
  std::map<std::string, long> moved_;
};

// The anchor, which must lie inside the kernel's piece.
Result<long> anchor_in(Sources &sources, const Record &record, const Piece &kernel, long kernel_offset,
                       const fs::path &directory) {
  Anchor anchor = record.anchor;
  const fs::path source = file_of_anchor(record, directory);
  anchor.file = source.string();
  anchor.offset = std::max(1L, kernel_offset + std::max(0L, record.anchor.offset - kernel.offset)); // 0 would mean: unknown
  const std::string *text = sources.text(source);
  if (!text) return fail("the source is gone: it cannot be read", source.string(), remedy);
  const auto found = find_anchor(*text, anchor);
  if (found && kernel_offset <= *found && *found < kernel_offset + kernel.length) return *found;
  return fail("the kernel's definition changed", fmt::format("{}:{}", source.string(), record.anchor.line), remedy);
}

} // namespace

const std::string *Sources::text(const fs::path &file) {
  auto found = texts_.find(file);
  if (found == texts_.end()) {
    auto read = disk_.read(file);
    found = texts_.emplace(file, read ? std::optional(std::move(*read)) : std::nullopt).first;
  }
  return found->second ? &*found->second : nullptr;
}

std::optional<long> find_piece(std::string_view text, const Piece &piece, long guess) {
  if (stands_at(text, piece, guess)) return guess;
  std::optional<long> best;
  for (long place : places_for_pieces(text)) {
    if (best && std::labs(place - guess) >= std::labs(*best - guess)) continue;
    if (stands_at(text, piece, place)) best = place;
  }
  return best;
}

fs::path file_of_anchor(const Record &record, const fs::path &directory) {
  return absolute_path(record.anchor.file.empty() ? record.source : record.anchor.file, directory);
}

Result<long> check_fresh(Sources &sources, const Record &record, const fs::path &directory) {
  PieceFinder finder(sources, directory);
  const Piece *kernel = nullptr;
  long kernel_offset = 0;
  for (const Piece &piece : record.pieces) {
    KOPT_TRY(offset, finder.find(piece));
    if (piece.kind != "kernel") continue;
    kernel = &piece;
    kernel_offset = offset;
  }
  if (!kernel)
    return fail("the record does not hold the kernel's own text", place_of(record.source, record.anchor.line, directory),
                remedy);
  return anchor_in(sources, record, *kernel, kernel_offset, directory);
}

} // namespace kopt
