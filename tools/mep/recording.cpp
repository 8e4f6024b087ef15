#include "mep/recording.h"

#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace kopt {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string_view take_word(std::string_view &line) {
  const auto space = line.find(' ');
  const auto word = line.substr(0, space);
  line.remove_prefix(space == std::string_view::npos ? line.size() : space + 1);
  return word;
}

std::optional<long> take_number(std::string_view &line) {
  const auto word = take_word(line);
  long number = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (code != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<Bytes> take_bytes(std::string_view &line) {
  const auto word = take_word(line);
  if (word.size() % 2 != 0) return std::nullopt;
  Bytes bytes(word.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto *digits = word.data() + 2 * i;
    const auto [end, code] = std::from_chars(digits, digits + 2, bytes[i], 16);
    if (code != std::errc{} || end != digits + 2) return std::nullopt;
  }
  return bytes;
}

class Parser {
public:
  Parser(std::string_view raw, std::string where) : raw_(raw), rest_(raw), where_(std::move(where)) {}

  Result<Recording> parse() {
    KOPT_CHECK(header());
    while (true) {
      auto line = take_line();
      if (!line) return cut_short();
      if (*line == "complete") return check();
      if (const auto before = raw_.size() - rest_.size() - line->size() - 1; line->starts_with("hash "))
        KOPT_CHECK(check_hash(*line, raw_.substr(0, before)));
      KOPT_CHECK(entry(*line));
    }
  }

private:
  Result<void> header() {
    auto line = take_line();
    if (!line || take_word(*line) != "kopt-capture") return fail("is not a recording of kopt", where_);
    const auto version = take_number(*line);
    if (!version) return damaged("kopt-capture");
    if (*version > Recording::version)
      return fail(
          fmt::format("recording version {} is newer than the version {} this kopt reads", *version, Recording::version),
          where_, "build kopt-capture and kopt from one KernelOpt");
    hashed_ = *version < 2; // version 1 has no hash
    return {};
  }

  Result<void> entry(std::string_view line) {
    const auto kind = take_word(line);
    const bool known = kind == "kernel"                                     ? name(line)
                       : kind == "call" || kind == "slot" || kind == "time" ? number(kind, line)
                       : kind == "memory"                                   ? memory(line)
                       : kind == "scalar"                                   ? scalar(line, recording_.scalars)
                       : kind == "left"                                     ? scalar(line, recording_.left)
                       : kind == "null"                                     ? pointer(line, true)
                       : kind == "pointer"                                  ? pointer(line, false)
                       : kind == "result"                                   ? result(line)
                                                                            : true;
    if (!known) return damaged(kind);
    if (kind == "before" || kind == "after") return contents(kind, line);
    return {};
  }

  bool name(std::string_view line) {
    recording_.kernel = line;
    return !line.empty();
  }

  bool number(std::string_view kind, std::string_view line) {
    const auto value = take_number(line);
    if (!value) return false;
    if (kind == "call")
      recording_.call = *value;
    else if (kind == "time")
      recording_.nanoseconds = static_cast<double>(*value);
    else
      recording_.slot = static_cast<int>(*value);
    return true;
  }

  bool memory(std::string_view line) {
    const auto index = take_number(line);
    memory_ = line;
    return index && *index == static_cast<long>(recording_.buffers.size()) && !line.empty();
  }

  Result<void> check_hash(std::string_view line, std::string_view before) {
    take_word(line);
    std::uint64_t hash = 0;
    const auto [end, code] = std::from_chars(line.data(), line.data() + line.size(), hash);
    hashed_ = code == std::errc{} && end == line.data() + line.size() && hash == recording_hash(before);
    if (hashed_) return {};
    return fail("the recording is corrupt: its contents do not have the hash that was written with them", where_,
                "run kopt capture again; if it happens again, check the disk");
  }

  static bool scalar(std::string_view line, std::map<std::string, Bytes> &values) {
    auto bytes = take_bytes(line);
    if (bytes) values[std::string(line)] = std::move(*bytes);
    return bytes.has_value();
  }

  bool pointer(std::string_view line, bool null) {
    Recording::Pointer to;
    if (!null) {
      const auto buffer = take_number(line), offset = take_number(line);
      if (!buffer || !offset) return false;
      to = {static_cast<int>(*buffer), *offset};
    }
    recording_.pointers[std::string(line)] = to;
    return true;
  }

  bool result(std::string_view line) {
    recording_.result = take_bytes(line);
    return recording_.result.has_value();
  }

  Result<void> contents(std::string_view kind, std::string_view line) {
    const auto index = take_number(line), size = take_number(line);
    auto &buffers = recording_.buffers;
    const bool next = index && *index == static_cast<long>(buffers.size());
    const bool again = index && *index >= 0 && *index < static_cast<long>(buffers.size());
    if (!size || *size < 0 || !(kind == "before" ? next : again)) return damaged(kind);
    const auto count = static_cast<std::size_t>(*size);
    if (rest_.size() < count + 1) return cut_short();
    const auto *begin = reinterpret_cast<const std::uint8_t *>(rest_.data());
    if (kind == "before")
      buffers.push_back({Bytes(begin, begin + count), std::nullopt, std::exchange(memory_, "")});
    else if (buffers[static_cast<std::size_t>(*index)].before.size() == count)
      buffers[static_cast<std::size_t>(*index)].after = Bytes(begin, begin + count);
    else
      return damaged(kind);
    rest_.remove_prefix(count + 1);
    return {};
  }

  Result<Recording> check() {
    if (!hashed_) return damaged("hash");
    for (const auto &[path, pointer] : recording_.pointers)
      if (pointer.buffer < -1 || pointer.buffer >= static_cast<int>(recording_.buffers.size()))
        return fail(fmt::format("'{}' leads into buffer {}, which is not there", path, pointer.buffer), where_,
                    "run kopt capture again");
    return std::move(recording_);
  }

  std::optional<std::string_view> take_line() {
    const auto end = rest_.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const auto line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

  tl::unexpected<Error> damaged(std::string_view kind) const {
    return fail(fmt::format("damaged recording: broken '{}' line", kind), where_, "run kopt capture again");
  }
  tl::unexpected<Error> cut_short() const {
    return fail("the recording is cut short: the application ended while it was written", where_, "run kopt capture again");
  }

  std::string_view raw_, rest_;
  std::string where_, memory_;
  bool hashed_ = false;
  Recording recording_;
};

} // namespace

std::uint64_t recording_hash(std::string_view bytes) {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9fb21c651e98df25U;
    hash ^= hash >> 32;
  };
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(bytes.size() - at, 8));
    mix(word);
  }
  mix(bytes.size());
  return hash;
}

Result<Recording> parse_recording(std::string_view raw, const std::string &where) { return Parser(raw, where).parse(); }

} // namespace kopt
