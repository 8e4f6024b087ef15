#include "mep/capture.h"

#include "core/hash.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace kopt {
namespace {

using Bytes = std::vector<std::uint8_t>;

// AddressSanitizer here only keeps the books on objects. Its checks are off, so that it neither stops the application nor
// changes its course.
constexpr const char *sanitizer_options =
    "detect_leaks=0:halt_on_error=0:detect_odr_violation=0:replace_intrin=0:alloc_dealloc_mismatch=0:"
    "new_delete_type_mismatch=0:handle_segv=0:handle_abort=0:handle_sigfpe=0:detect_stack_use_after_return=0:quarantine_size_"
    "mb=16:"
    "allocator_may_return_null=1:verify_asan_link_order=0";

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

// Adds one buffer's contents under `name`, or finds the file that has them already.
std::string add_file(CaseFiles &kase, std::map<std::string, std::string> &known, const std::string &name,
                     const Bytes &contents) {
  const auto [found, is_new] = known.emplace(hash_of(text_of(contents)), name);
  if (is_new) kase.files[name] = &contents;
  return found->second;
}

struct Counts {
  long calls = 0;
  bool exact = false;
  std::map<int, long> slots; // calls of each shape
};

Counts parse_counts(const std::string &text) {
  Counts counts;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string kind, rest;
    long first = 0, second = 0;
    words >> kind >> first;
    if (kind == "calls" && words >> rest) {
      counts.calls = first;
      counts.exact = rest == "exact";
    }
    if (kind == "slot" && words >> second) counts.slots[static_cast<int>(first)] = second;
  }
  return counts;
}

std::string first_line(const std::string &text) { return text.substr(0, text.find('\n')); }

// The recordings of one kernel: `<slug>.<call>.raw`.
bool is_recording_of(const fs::path &path, const std::string &slug) {
  const auto name = path.filename().string();
  if (!name.starts_with(slug + ".") || !name.ends_with(".raw")) return false;
  const auto call = name.substr(slug.size() + 1, name.size() - slug.size() - 5);
  return !call.empty() && call.find_first_not_of("0123456789") == std::string::npos;
}

// Complete recordings of the kernel in order of their calls; the others as warnings.
std::vector<Recording> read_recordings(const Disk &disk, const fs::path &folder, const std::string &slug,
                                       std::vector<std::string> &warnings) {
  std::vector<Recording> recordings;
  for (const auto &path : disk.files_below(folder)) {
    if (!is_recording_of(path, slug)) continue;
    auto recording =
        disk.read(path).and_then([&](const std::string &raw) { return parse_recording(raw, path.filename().string()); });
    if (recording)
      recordings.push_back(std::move(*recording));
    else
      warnings.push_back(recording.error().message());
  }
  std::sort(recordings.begin(), recordings.end(), [](const Recording &a, const Recording &b) { return a.call < b.call; });
  return recordings;
}

// Whether an earlier call of the same shape is among them: then this one is held out.
bool is_later(const std::vector<Recording> &recordings, std::size_t index) {
  for (std::size_t i = 0; i < index; ++i)
    if (recordings[i].slot == recordings[index].slot) return true;
  return false;
}

std::string why_nothing(const Disk &disk, const fs::path &folder, const KernelCapture &capture) {
  if (auto problem = disk.read(folder / (capture.slug + ".problem"))) return first_line(*problem);
  if (!capture.warnings.empty()) return "none of its recordings is complete";
  if (capture.calls > 0) return fmt::format("called {} times, but no call came to its end", capture.calls);
  return "the application never called it; give a RUN command that does, or CASES";
}

// Files of an earlier capture that no case names any more.
void remove_others(Disk &disk, const fs::path &folder, const std::set<fs::path> &kept) {
  for (const auto &path : disk.files_below(folder))
    if (!kept.count(path)) (void)disk.remove(path);
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
    Json entry{{"bytes", buffer.before.size()},
               {"before", add_file(kase, known, fmt::format("{}.buffer-{}.before", name, i), buffer.before)}};
    if (buffer.after) entry["after"] = add_file(kase, known, fmt::format("{}.buffer-{}.after", name, i), *buffer.after);
    buffers.push_back(std::move(entry));
  }
  kase.document = Json{
      {"name", name},           {"weight", 1},        {"held_out", false},  {"origin", "capture"}, {"call", recording.call},
      {"arguments", arguments}, {"buffers", buffers}, {"globals", globals}, {"left", left},        {"result", result}};
  return kase;
}

Result<KernelCapture> convert_recordings(Disk &disk, const fs::path &recordings_folder, const Model &model,
                                         const fs::path &cases_folder) {
  KernelCapture capture;
  capture.kernel = model.name;
  capture.slug = model.slug;
  const auto counts = parse_counts(disk.read(recordings_folder / (model.slug + ".calls")).value_or(""));
  capture.calls = counts.calls;
  capture.exact = counts.exact;
  const auto recordings = read_recordings(disk, recordings_folder, model.slug, capture.warnings);
  auto document = new_document("kopt-cases", 1);
  document["kernel"] = model.name;
  document["closure"] = hash_of(model.closure.text);
  document["cases"] = Json::array();
  std::map<std::string, std::string> known;
  std::set<fs::path> kept{cases_folder / "cases.json"};
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const auto &recording = recordings[i];
    auto kase = case_of(recording, model, known);
    if (!kase) {
      capture.warnings.push_back(
          fmt::format("call {}: {}; run kopt extract and build kopt-capture again", recording.call, kase.error().message()));
      continue;
    }
    const bool held_out = is_later(recordings, i);
    kase->document["held_out"] = held_out;
    if (auto calls = counts.slots.find(recording.slot); calls != counts.slots.end()) kase->document["weight"] = calls->second;
    for (const auto &[name, contents] : kase->files) {
      KOPT_CHECK(disk.write(cases_folder / name, text_of(*contents)));
      kept.insert(cases_folder / name);
    }
    std::size_t bytes = 0;
    for (const auto &buffer : recording.buffers) bytes += buffer.before.size();
    capture.cases.push_back({kase->document["name"].get<std::string>(), recording.call, held_out, bytes});
    document["cases"].push_back(std::move(kase->document));
  }
  if (capture.cases.empty()) {
    capture.problem = why_nothing(disk, recordings_folder, capture);
    return capture;
  }
  KOPT_CHECK(write_document(disk, cases_folder / "cases.json", document));
  remove_others(disk, cases_folder, kept);
  return capture;
}

Result<void> remove_recordings(Disk &disk, const fs::path &recordings) {
  for (const auto &path : disk.files_below(recordings))
    if (path.extension() == ".raw") KOPT_CHECK(disk.remove(path));
  return {};
}

Result<std::vector<std::string>> capture_command(const Spec &spec) {
  if (spec.capture_executable.empty())
    return fail("the target is no executable and has no RUN command, so nothing can be recorded", spec.target,
                "add RUN <command> to kopt_optimize_target(), or CASES");
  auto words = spec.run.empty() ? std::vector<std::string>{spec.executable} : spec.run;
  const auto count = std::count(words.begin(), words.end(), spec.executable);
  if (count == 0 || spec.executable.empty())
    return fail(fmt::format("the RUN command does not name the executable {}, so its instrumented copy cannot take its place",
                            spec.executable),
                spec.target, "write the target's name as a word of RUN, or give CASES");
  std::replace(words.begin(), words.end(), spec.executable, spec.capture_executable);
  return words;
}

Result<CaptureRun> run_capture(Disk &disk, Processes &processes, const Spec &spec, const CaptureOptions &options) {
  CaptureRun run;
  KOPT_TRY(words, capture_command(spec));
  run.words = words;
  if (!disk.exists(spec.capture_executable))
    return fail(fmt::format("there is no instrumented executable {}", spec.capture_executable), spec.target,
                "build it: `ninja kopt-capture`");
  run.recordings = spec.work_dir / "recordings";
  run.log = spec.work_dir / "capture.log";
  for (const auto &path : disk.files_below(run.recordings)) KOPT_CHECK(disk.remove(path));
  KOPT_CHECK(disk.write(run.recordings / "README", "Recordings of the last run of kopt capture; see docs/formats.md.\n"));

  Command command;
  command.words = words;
  command.directory = spec.run_directory;
  command.timeout = options.timeout;
  command.environment = {{"KOPT_CAPTURE_DIR", run.recordings.string()},
                         {"KOPT_CAPTURE_LIMIT", std::to_string(options.limit_bytes)},
                         {"ASAN_OPTIONS", std::string(sanitizer_options) + (options.sanitizer_options.empty() ? "" : ":") +
                                              options.sanitizer_options}};
  KOPT_TRY(outcome, processes.run(command));
  KOPT_CHECK(disk.write(run.log, fmt::format("$ {}\n{}{}", shell_quoted(words), outcome.output, outcome.errors)));
  if (outcome.timed_out)
    run.warnings.push_back(fmt::format("the application was stopped after {} s; what was recorded by then is kept",
                                       options.timeout ? options.timeout->count() : 0));
  else if (!outcome.succeeded())
    run.warnings.push_back(fmt::format("the application {}; what was recorded by then is kept; its output is in {}",
                                       outcome.signal != 0 ? fmt::format("was ended by signal {}", outcome.signal)
                                                           : fmt::format("ended with exit code {}", outcome.exit_code),
                                       run.log.string()));
  return run;
}

} // namespace kopt
