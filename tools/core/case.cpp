#include "core/case.h"

#include "core/compression.h"
#include "core/fill.h"
#include "core/hash.h"
#include "core/scalar.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 36; // of one buffer: more is a mistake in an extent

bool is_document_key(const std::string &key, std::initializer_list<const char *> known) {
  return std::any_of(known.begin(), known.end(), [&](const char *word) { return key == word; });
}

Result<void> only_keys(const Json &json, std::initializer_list<const char *> known) {
  if (!json.is_object()) return fail("is not a JSON object", {}, "see \"Cases\" in docs/formats.md");
  for (const auto &item : json.items())
    if (!is_document_key(item.key(), known))
      return fail(fmt::format("unknown key \"{}\"", item.key()), {}, "see \"Cases\" in docs/formats.md");
  return {};
}

// Reads one case. Scalars come first, because extents are computed from them; then buffers; then aliases.
class CaseReader {
public:
  CaseReader(const Disk &disk, const fs::path &document, const Model &model, std::uint64_t seed)
      : disk_(disk), folder_(document.parent_path()), model_(model), seed_(seed) {}

  Result<Case> read(const Json &json, const std::string &name) {
    case_.name = name;
    KOPT_CHECK(only_keys(json, {"name", "weight", "held_out", "origin", "call", "nanoseconds", "arguments", "buffers",
                                "globals", "left", "result", "note"}));
    case_.weight = json.value("weight", 1.0);
    case_.held_out = json.value("held_out", false);
    case_.origin = json.value("origin", "user");
    case_.nanoseconds = json.value("nanoseconds", 0.0);
    if (!(case_.weight > 0)) return fail("the weight is not positive");
    case_.arguments.resize(model_.leaves.size());
    given_.resize(model_.leaves.size());
    KOPT_CHECK(collect(json, "arguments"));
    KOPT_CHECK(collect(json, "globals"));
    KOPT_CHECK(complete());
    KOPT_CHECK(read_buffers(json.value("buffers", Json::array())));
    KOPT_CHECK(each([](const Leaf &leaf, const Json &) { return !leaf.is_pointer(); }, &CaseReader::read_scalar));
    KOPT_CHECK(each([](const Leaf &leaf, const Json &value) { return leaf.is_pointer() && is_single(value); },
                    &CaseReader::read_object));
    KOPT_CHECK(
        each([](const Leaf &leaf, const Json &value) { return leaf.is_pointer() && !is_single(value) && !is_alias(value); },
             &CaseReader::read_pointer));
    KOPT_CHECK(each([](const Leaf &leaf, const Json &value) { return leaf.is_pointer() && is_alias(value); },
                    &CaseReader::read_alias));
    KOPT_CHECK(read_left(json));
    if (json.contains("result") && !json["result"].is_null()) KOPT_CHECK(read_result(json["result"]));
    return std::move(case_);
  }

private:
  static bool is_single(const Json &value) { return value.is_number() || value.is_boolean() || value.is_string(); }
  static bool is_alias(const Json &value) { return value.is_object() && value.contains("alias"); }

  Result<void> collect(const Json &json, const char *key) {
    if (!json.contains(key)) return {};
    const auto &arguments = json[key]; // not a copy: given_ points into it
    if (!arguments.is_object()) return fail(fmt::format("\"{}\" is not an object by leaf path", key));
    for (const auto &item : arguments.items()) {
      auto found = std::find_if(model_.leaves.begin(), model_.leaves.end(),
                                [&](const Leaf &leaf) { return leaf.path == item.key() && leaf.origin != "result"; });
      if (found == model_.leaves.end())
        return fail("the kernel has no such argument", argument(item.key()), "it has " + paths());
      given_[static_cast<std::size_t>(found - model_.leaves.begin())] = &item.value();
    }
    return {};
  }

  Result<void> complete() const {
    for (std::size_t k = 0; k < model_.leaves.size(); ++k)
      if (model_.leaves[k].origin == "parameter" && !given_[k])
        return fail("it has no value", argument(model_.leaves[k].path), "give one in \"arguments\"");
      else if (model_.leaves[k].is_array() && model_.leaves[k].may_be_written() && !given_[k])
        return fail("the kernel writes to this array, and it has no contents", argument(model_.leaves[k].path),
                    "give some in \"globals\", for example {\"fill\": \"zero\"}");
    return {};
  }

  std::string paths() const {
    std::string list;
    for (const auto &leaf : model_.leaves)
      if (leaf.origin != "result") list += (list.empty() ? "" : ", ") + leaf.path;
    return list;
  }

  static std::string argument(const std::string &path) { return "argument " + path; }

  // Calls `reader` for the leaves that `wanted` names; an error gets the argument's path.
  template <typename Wanted> Result<void> each(Wanted wanted, Result<void> (CaseReader::*reader)(std::size_t, const Json &)) {
    for (std::size_t k = 0; k < given_.size(); ++k) {
      if (!given_[k] || !wanted(model_.leaves[k], *given_[k])) continue;
      if (auto done = (this->*reader)(k, *given_[k]); !done) {
        auto error = std::move(done).error();
        error.where = argument(model_.leaves[k].path) + (error.where.empty() ? "" : ": " + error.where);
        return tl::make_unexpected(std::move(error));
      }
    }
    return {};
  }

  Result<void> read_buffers(const Json &buffers) {
    for (const auto &json : buffers) {
      KOPT_CHECK(only_keys(json, {"bytes", "before", "before_hash", "after", "after_hash", "memory"}));
      auto size = json.at("bytes").get<std::size_t>();
      Buffer buffer;
      KOPT_TRY(before, contents(json, "before", size));
      buffer.before = before ? std::move(*before) : Bytes(size);
      KOPT_TRY(after, contents(json, "after", size));
      buffer.after = std::move(after);
      buffer.memory = json.value("memory", "");
      case_.buffers.push_back(std::move(buffer));
    }
    captured_ = case_.buffers.size();
    return {};
  }

  // Contents of a captured buffer; none where the document names no file.
  Result<std::optional<Bytes>> contents(const Json &json, const std::string &key, std::size_t size) const {
    if (!json.contains(key) || json[key].is_null()) return std::optional<Bytes>();
    KOPT_TRY(bytes, file(json[key], size));
    const auto hash = json.value(key + "_hash", "");
    if (!hash.empty() && hash != hash_of({reinterpret_cast<const char *>(bytes.data()), bytes.size()}))
      return fail("does not have the contents that were captured: their hash is another one",
                  (folder_ / json[key].get<std::string>()).string(), "run kopt capture again");
    return std::optional<Bytes>(std::move(bytes));
  }

  Result<Bytes> file(const Json &name, std::optional<std::size_t> size) const {
    auto path = folder_ / name.get<std::string>();
    KOPT_TRY(text, disk_.read(path));
    if (size && path.extension() == compressed_extension) {
      auto whole = expanded(text, *size);
      if (!whole) return fail(whole.error().what, path.string(), "run kopt capture again");
      text = std::move(*whole);
    }
    if (size && text.size() != *size)
      return fail(fmt::format("has {} bytes where {} are expected", text.size(), *size), path.string());
    return Bytes(text.begin(), text.end());
  }

  Result<void> read_scalar(std::size_t k, const Json &json) {
    const auto &leaf = model_.leaves[k];
    if (json.is_null() && leaf.origin == "global") return {};
    KOPT_TRY(bytes, scalar_bytes(json, leaf));
    if (bytes.size() != size_of(leaf))
      return fail(fmt::format("has {} bytes where {} are expected", bytes.size(), size_of(leaf)));
    case_.arguments[k].bytes = std::move(bytes);
    return {};
  }

  static Result<Bytes> scalar_bytes(const Json &json, const Leaf &leaf) {
    if (json.is_object() && json.contains("bytes")) return bytes_from_hex(json["bytes"].get<std::string>());
    if (!json.is_array()) return scalar_from_json(json, leaf.element);
    Bytes bytes;
    for (const auto &item : json) {
      KOPT_TRY(one, scalar_from_json(item, leaf.element));
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
  }

  // A reference to a scalar may be given as the scalar.
  Result<void> read_object(std::size_t k, const Json &json) {
    const auto &leaf = model_.leaves[k];
    bool reference =
        leaf.parameter >= 0 && model_.parameters.at(static_cast<std::size_t>(leaf.parameter)).passing == "reference";
    if (!reference) return fail("is a pointer", {}, "give null or a buffer, e.g. {\"extent\": 16, \"fill\": \"zero\"}");
    KOPT_TRY(bytes, scalar_from_json(json, leaf.element));
    add_buffer(k, std::move(bytes));
    return {};
  }

  void add_buffer(std::size_t k, Bytes contents) {
    case_.arguments[k].buffer = static_cast<int>(case_.buffers.size());
    case_.buffers.push_back({std::move(contents), std::nullopt});
  }

  Result<void> read_pointer(std::size_t k, const Json &json) {
    if (json.is_null()) return {};
    if (!json.is_object()) return fail("is a pointer", {}, "give null or a buffer, e.g. {\"extent\": 16, \"fill\": \"zero\"}");
    if (json.contains("buffer")) return read_captured(k, json);
    KOPT_CHECK(only_keys(json, {"extent", "fill", "low", "high", "seed", "value", "values", "file", "bytes"}));
    KOPT_TRY(contents, generate(model_.leaves[k], json));
    add_buffer(k, std::move(contents));
    return {};
  }

  Result<void> read_captured(std::size_t k, const Json &json) {
    KOPT_CHECK(only_keys(json, {"buffer", "offset"}));
    auto buffer = json["buffer"].get<std::int64_t>();
    auto offset = json.value("offset", std::int64_t{0});
    if (buffer < 0 || buffer >= static_cast<std::int64_t>(captured_))
      return fail(fmt::format("there is no buffer {}: the case has {}", buffer, captured_));
    auto size = static_cast<std::int64_t>(case_.buffers[static_cast<std::size_t>(buffer)].before.size());
    if (offset < 0 || offset > size)
      return fail(fmt::format("offset {} is outside buffer {} of {} bytes", offset, buffer, size));
    case_.arguments[k].buffer = static_cast<int>(buffer);
    case_.arguments[k].offset = offset;
    return {};
  }

  Result<void> read_alias(std::size_t k, const Json &json) {
    KOPT_CHECK(only_keys(json, {"alias"}));
    auto other = json["alias"].get<std::string>();
    auto found = std::find_if(model_.leaves.begin(), model_.leaves.end(), [&](const Leaf &leaf) { return leaf.path == other; });
    auto index = static_cast<std::size_t>(found - model_.leaves.begin());
    if (found == model_.leaves.end() || !found->is_pointer() || !given_[index] || is_alias(*given_[index]))
      return fail(fmt::format("\"alias\" names '{}', which is not a pointer with a buffer of its own", other));
    case_.arguments[k] = case_.arguments[index];
    return {};
  }

  // Contents of a buffer that the document describes.
  Result<Bytes> generate(const Leaf &leaf, const Json &json) const {
    auto element = leaf.element;
    if (element.size <= 0) element = {"unsigned char", "integer", 1, false, {}}; // void *: bytes
    KOPT_TRY(given, given_contents(element, json));
    KOPT_TRY(extent, extent_of(leaf, json, element, given ? std::optional(given->size()) : std::nullopt));
    auto size = static_cast<std::size_t>(extent * element.size);
    if (!given)
      return fill_buffer(element, static_cast<std::size_t>(extent), json, seed_ ^ fill_seed(case_.name + "\n" + leaf.path));
    if (given->size() > size)
      return fail(fmt::format("{} bytes are given for an extent of {} elements", given->size(), extent), {},
                  "raise \"extent\" or leave it out");
    given->resize(size);
    return std::move(*given);
  }

  Result<std::optional<Bytes>> given_contents(const Element &element, const Json &json) const {
    if (json.contains("file")) return file(json["file"], std::nullopt);
    if (json.contains("bytes")) return bytes_from_hex(json["bytes"].get<std::string>());
    if (json.contains("values")) return fill_values(element, json["values"]);
    return std::optional<Bytes>();
  }

  // Elements of the buffer: as given, else as long as the given contents, else what the model says the kernel touches.
  Result<std::int64_t> extent_of(const Leaf &leaf, const Json &json, const Element &element,
                                 std::optional<std::size_t> given) const {
    std::int64_t extent = 0;
    if (json.contains("extent")) {
      KOPT_TRY(asked, asked_extent(json["extent"]));
      extent = asked;
    } else {
      std::optional<std::int64_t> touched;
      if (leaf.extent) {
        KOPT_TRY(elements, evaluate_extent(*leaf.extent, scalar_lookup(model_, case_)));
        touched = std::max<std::int64_t>(elements.end, 0);
      }
      if (!given && !touched)
        return fail("its extent cannot be told from the kernel", {}, "give \"extent\", a number or an expression over scalars");
      auto held = given ? static_cast<std::int64_t>(*given) / element.size : *touched;
      if (touched && held < *touched)
        return fail(fmt::format("holds {} elements and the kernel touches {}", held, *touched), {},
                    "give more, or an \"extent\" if you know better");
      extent = held;
    }
    if (extent < 0) return fail(fmt::format("its extent is {}", extent), {}, "an extent is a number of elements");
    if (extent > most_bytes / element.size)
      return fail(fmt::format("its extent of {} elements is too large", extent), {}, "give a smaller case");
    return extent;
  }

  Result<std::int64_t> asked_extent(const Json &json) const {
    if (json.is_number_integer()) return json.get<std::int64_t>();
    if (!json.is_string()) return fail("\"extent\" is a number or an expression in quotes");
    KOPT_TRY(expression, Expression::parse(json.get<std::string>()));
    return expression.evaluate_integer(scalar_lookup(model_, case_));
  }

  Result<void> read_left(const Json &json) {
    case_.left.resize(model_.leaves.size());
    if (!json.contains("left")) return {};
    for (const auto &item : json["left"].items())
      for (std::size_t k = 0; k < model_.leaves.size(); ++k) {
        const auto &leaf = model_.leaves[k];
        if (leaf.path != item.key() || leaf.is_pointer() || leaf.origin == "result") continue;
        auto bytes = scalar_bytes(item.value(), leaf);
        if (!bytes) return fail(bytes.error().what, "left " + leaf.path, bytes.error().remedy);
        if (bytes->size() != size_of(leaf))
          return fail(fmt::format("has {} bytes where {} are expected", bytes->size(), size_of(leaf)), "left " + leaf.path);
        case_.left[k] = std::move(*bytes);
      }
    return {};
  }

  static std::size_t size_of(const Leaf &leaf) {
    return static_cast<std::size_t>(leaf.element.size) * static_cast<std::size_t>(leaf.count);
  }

  Result<void> read_result(const Json &json) {
    std::size_t size = 0;
    const Leaf *only = nullptr;
    for (const auto &leaf : model_.leaves) {
      if (leaf.origin != "result") continue;
      only = size == 0 ? &leaf : nullptr;
      size = std::max(size, static_cast<std::size_t>(leaf.offset) + static_cast<std::size_t>(leaf.element.size * leaf.count));
    }
    if (size == 0) return {}; // a result that the model does not follow
    bool raw = json.is_object() && json.contains("bytes");
    if (!raw && !only) return fail("\"result\" of a struct is given as {\"bytes\": \"hex\"}");
    auto bytes = raw ? bytes_from_hex(json["bytes"].get<std::string>()) : scalar_bytes(json, *only);
    if (!bytes) return fail(bytes.error().what, "result", bytes.error().remedy);
    bytes->resize(size); // padding at a struct's end
    case_.result = std::move(*bytes);
    return {};
  }

  const Disk &disk_;
  fs::path folder_;
  const Model &model_;
  std::uint64_t seed_;
  Case case_;
  std::vector<const Json *> given_; // by leaf
  std::size_t captured_ = 0;        // buffers of the document
};

} // namespace

Result<std::vector<Case>> read_cases(const Disk &disk, const fs::path &path, const Model &model, std::uint64_t seed) {
  KOPT_TRY(document, read_document(disk, path, "kopt-cases", cases_version));
  auto kernel = document.value("kernel", Json(model.name));
  if (kernel != model.name)
    return fail(fmt::format("the cases are for {}, not for {}", kernel.dump(), model.name), path.string());
  if (!document.contains("cases") || !document["cases"].is_array())
    return fail("there is no list \"cases\"", path.string(), "see docs/formats.md");
  std::vector<Case> cases;
  for (const auto &json : document["cases"]) {
    auto given = json.is_object() ? json.value("name", Json()) : Json();
    auto name = given.is_string() ? given.get<std::string>() : fmt::format("case-{}", cases.size() + 1);
    auto where = fmt::format("{}: case {}", path.string(), name);
    Result<Case> kase = fail("");
    try {
      kase = CaseReader(disk, path, model, seed).read(json, name);
    } catch (const nlohmann::json::exception &error) { // a value of the wrong type
      kase = fail(std::string("not as expected: ") + error.what(), {}, "compare with docs/formats.md");
    }
    if (!kase) {
      auto error = kase.error();
      error.where = where + (error.where.empty() ? "" : ": " + error.where);
      return tl::make_unexpected(std::move(error));
    }
    auto same = [&](const Case &other) { return other.name == name; };
    if (std::any_of(cases.begin(), cases.end(), same)) return fail("two cases have this name", where, "rename one");
    cases.push_back(std::move(*kase));
  }
  return cases;
}

Expression::Lookup scalar_lookup(const Model &model, const Case &kase) {
  return [&model, &kase](const std::string &path) -> std::optional<Value> {
    for (std::size_t k = 0; k < model.leaves.size() && k < kase.arguments.size(); ++k) {
      const auto &leaf = model.leaves[k];
      if (leaf.path != path || leaf.origin == "result") continue;
      const auto &argument = kase.arguments[k];
      if (!leaf.is_pointer()) return argument.bytes.empty() ? std::nullopt : scalar_value(argument.bytes.data(), leaf.element);
      // A reference to a scalar stands for its value.
      bool reference =
          leaf.parameter >= 0 && model.parameters.at(static_cast<std::size_t>(leaf.parameter)).passing == "reference";
      if (!reference || !argument.buffer || leaf.element.size <= 0) return std::nullopt;
      const auto &bytes = kase.buffers.at(static_cast<std::size_t>(*argument.buffer)).before;
      if (static_cast<std::size_t>(argument.offset + leaf.element.size) > bytes.size()) return std::nullopt;
      return scalar_value(bytes.data() + argument.offset, leaf.element);
    }
    return std::nullopt;
  };
}

} // namespace kopt
