#include "mep/case_files.h"

#include "core/compression.h"
#include "core/hash.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace kopt {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t most_spelled = 64; // values of an array that are written out one by one

template <typename T> T read_as(const std::uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Hexadecimal, so that it reads back as the same bits; infinities and NaN by name.
std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{:a}", value);
}

std::string hex_of(const Bytes &bytes) {
  std::string text;
  for (auto byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// One value, or nothing where only its bytes will do: NaN with a payload, long double, structs.
std::optional<Json> number_of(const Element &element, const std::uint8_t *at) {
  const auto &category = element.category;
  if (category == "bool" && element.size == 1) return Json(*at != 0);
  if (category == "float" && element.size == 8 && !std::isnan(read_as<double>(at)))
    return Json(float_text(read_as<double>(at)));
  if (category == "float" && element.size == 4 && !std::isnan(read_as<float>(at)))
    return Json(float_text(static_cast<double>(read_as<float>(at))));
  if (category != "integer" && category != "enum") return std::nullopt;
  const bool sign = element.is_signed;
  switch (element.size) {
  case 1:
    return sign ? Json(read_as<std::int8_t>(at)) : Json(read_as<std::uint8_t>(at));
  case 2:
    return sign ? Json(read_as<std::int16_t>(at)) : Json(read_as<std::uint16_t>(at));
  case 4:
    return sign ? Json(read_as<std::int32_t>(at)) : Json(read_as<std::uint32_t>(at));
  case 8:
    return sign ? Json(read_as<std::int64_t>(at)) : Json(read_as<std::uint64_t>(at));
  default:
    return std::nullopt;
  }
}

Json value_of(const Leaf &leaf, const Bytes &bytes) {
  const auto size = static_cast<std::size_t>(std::max(leaf.element.size, 1));
  Json values = Json::array();
  if (bytes.size() / size > most_spelled) return Json{{"bytes", hex_of(bytes)}};
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    auto value = number_of(leaf.element, bytes.data() + at);
    if (!value) return Json{{"bytes", hex_of(bytes)}};
    values.push_back(std::move(*value));
  }
  return values.size() == 1 ? values.front() : values;
}

Result<Json> argument_of(const Recording &recording, const Leaf &leaf) {
  if (leaf.is_pointer()) {
    const auto found = recording.pointers.find(leaf.path);
    if (found == recording.pointers.end()) return fail(fmt::format("the recording has no pointer '{}'", leaf.path));
    if (found->second.buffer < 0) return Json(nullptr);
    return Json{{"buffer", found->second.buffer}, {"offset", found->second.offset}};
  }
  const auto found = recording.scalars.find(leaf.path);
  if (found == recording.scalars.end()) return fail(fmt::format("the recording has no scalar '{}'", leaf.path));
  if (found->second.size() != static_cast<std::size_t>(leaf.element.size) * static_cast<std::size_t>(leaf.count))
    return fail(fmt::format("'{}' was recorded with {} bytes", leaf.path, found->second.size()));
  return value_of(leaf, found->second);
}

std::string_view text_of(const Bytes &bytes) { return {reinterpret_cast<const char *>(bytes.data()), bytes.size()}; }

// Adds one buffer's contents under `name`, or finds the file that has them already; the entry says which, and their hash.
void add_file(CaseFiles &kase, std::map<std::string, std::string> &known, Json &entry, const std::string &key,
              const std::string &name, const Bytes &contents) {
  const auto hash = hash_of(text_of(contents));
  const auto [found, is_new] = known.emplace(hash, name + std::string(compressed_extension));
  if (is_new) kase.files[found->second] = &contents;
  entry[key] = found->second;
  entry[key + "_hash"] = hash;
}

} // namespace

Result<CaseFiles> case_of(const Recording &recording, const Model &model, std::map<std::string, std::string> &known) {
  CaseFiles kase;
  const auto name = fmt::format("call-{}", recording.call);
  Json arguments = Json::object(), globals = Json::object(), buffers = Json::array(), left = Json::object();
  Json result = nullptr;
  for (const auto &leaf : model.leaves) {
    if (leaf.origin == "result") {
      if (recording.result) result = value_of(leaf, *recording.result);
      continue;
    }
    KOPT_TRY(value, argument_of(recording, leaf));
    (leaf.origin == "global" ? globals : arguments)[leaf.path] = std::move(value);
    if (auto found = recording.left.find(leaf.path); found != recording.left.end())
      left[leaf.path] = value_of(leaf, found->second);
  }
  for (std::size_t i = 0; i < recording.buffers.size(); ++i) {
    const auto &buffer = recording.buffers[i];
    Json entry{{"bytes", buffer.before.size()}};
    if (!buffer.memory.empty()) entry["memory"] = buffer.memory;
    add_file(kase, known, entry, "before", fmt::format("{}.buffer-{}.before", name, i), buffer.before);
    if (buffer.after) add_file(kase, known, entry, "after", fmt::format("{}.buffer-{}.after", name, i), *buffer.after);
    buffers.push_back(std::move(entry));
  }
  kase.document = Json{{"name", name},           {"weight", 1},
                       {"held_out", false},      {"origin", "capture"},
                       {"call", recording.call}, {"nanoseconds", recording.nanoseconds},
                       {"arguments", arguments}, {"buffers", buffers},
                       {"globals", globals},     {"left", left},
                       {"result", result}};
  return kase;
}

Result<void> write_files(Disk &disk, const fs::path &folder, const CaseFiles &kase) {
  for (const auto &[name, contents] : kase.files) {
    KOPT_TRY(frame, compressed(text_of(*contents)));
    KOPT_CHECK(disk.write(folder / name, frame));
  }
  return {};
}

} // namespace kopt
