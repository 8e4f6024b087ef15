#include "mep/capture.h"

#include "mep/case_files.h"
#include "mep/reach.h"

#include "core/hash.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace kopt {
namespace {

// AddressSanitizer here only keeps the books on objects. Its checks are off, so that it neither stops the application nor
// changes its course.
constexpr const char *sanitizer_options =
    "detect_leaks=0:halt_on_error=0:detect_odr_violation=0:replace_intrin=0:alloc_dealloc_mismatch=0:"
    "new_delete_type_mismatch=0:handle_segv=0:handle_abort=0:handle_sigfpe=0:detect_stack_use_after_return=0:quarantine_size_"
    "mb=16:"
    "allocator_may_return_null=1:verify_asan_link_order=0";

// What <slug>.calls says.
struct Counts {
  struct Group {
    long calls = 0;
    double nanoseconds = 0;
  };
  long calls = 0, groups = 0;
  bool exact = false;
  double nanoseconds = 0;
  std::map<int, Group> slots; // those with a recording

  // Groups that nobody would feel are there for correctness alone: timing them takes long, and one that is slower is no loss.
  [[nodiscard]] bool is_light(int slot) const {
    constexpr double felt = 0.01;
    return share(slot) < felt &&
           std::any_of(slots.begin(), slots.end(), [&](const auto &other) { return share(other.first) >= felt; });
  }

  // Of the kernel's time; of its calls where a recorder of version 1 did not measure times.
  [[nodiscard]] double share(int slot) const {
    constexpr double least = 1e-6;
    const auto found = slots.find(slot);
    if (found == slots.end()) return 1;
    const double part = nanoseconds > 0 ? found->second.nanoseconds / nanoseconds
                                        : static_cast<double>(found->second.calls) / std::max(1.0, static_cast<double>(calls));
    return std::clamp(part, least, 1.0);
  }
};

Counts parse_counts(const std::string &text) {
  Counts counts;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string kind, rest;
    long first = 0;
    words >> kind >> first;
    if (kind == "calls" && words >> rest) {
      counts.calls = first;
      counts.exact = rest == "exact";
    }
    if (kind == "groups") counts.groups = first;
    if (kind == "time") counts.nanoseconds = static_cast<double>(first);
    if (Counts::Group group; kind == "slot" && words >> group.calls) {
      words >> group.nanoseconds;
      counts.slots[static_cast<int>(first)] = group;
    }
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

// Recordings that never came to their end: `<slug>.<call>.raw.part.<process>`.
void note_interrupted(const Disk &disk, const fs::path &folder, const std::string &slug, std::vector<std::string> &warnings) {
  for (const auto &path : disk.files_below(folder)) {
    const auto name = path.filename().string();
    const auto end = name.find(".raw.part.");
    if (end == std::string::npos || !is_recording_of(name.substr(0, end) + ".raw", slug)) continue;
    warnings.push_back(
        fmt::format("call {} is not used: the application ended while it was recorded (killed, crashed, or exit() "
                    "inside the kernel)",
                    name.substr(slug.size() + 1, end - slug.size() - 1)));
  }
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

// The case of a recording; an Error that names the call where it does not fit the model.
Result<CaseFiles> checked_case(const Recording &recording, const Model &model, std::map<std::string, std::string> &known) {
  auto kase = case_of(recording, model, known);
  if (!kase)
    return fail(kase.error().message(), fmt::format("call {}", recording.call),
                "run kopt extract and build kopt-capture again");
  KOPT_CHECK(check_reach(model, recording));
  return kase;
}

// Files of an earlier capture that no case names any more.
void remove_others(Disk &disk, const fs::path &folder, const std::set<fs::path> &kept) {
  for (const auto &path : disk.files_below(folder))
    if (!kept.count(path)) (void)disk.remove(path);
}

// What the recorder said on stderr, by slug: where the disk is full, that is all there is.
std::map<std::string, std::string> told(const std::string &errors) {
  static const std::string mark = "kopt capture: ";
  std::map<std::string, std::string> lines;
  std::istringstream stream(errors);
  for (std::string line; std::getline(stream, line);) {
    const auto end = line.find(": ", mark.size());
    if (line.starts_with(mark) && end != std::string::npos)
      lines.emplace(line.substr(mark.size(), end - mark.size()), line.substr(end + 2));
  }
  return lines;
}

} // namespace

Result<KernelCapture> convert_recordings(Disk &disk, const fs::path &recordings_folder, const Model &model,
                                         const fs::path &cases_folder) {
  KernelCapture capture;
  capture.kernel = model.name;
  capture.slug = model.slug;
  const auto counts = parse_counts(disk.read(recordings_folder / (model.slug + ".calls")).value_or(""));
  capture.calls = counts.calls;
  capture.groups = counts.groups;
  capture.exact = counts.exact;
  note_interrupted(disk, recordings_folder, model.slug, capture.warnings);
  const auto recordings = read_recordings(disk, recordings_folder, model.slug, capture.warnings);
  auto document = new_document("kopt-cases", cases_version);
  document["kernel"] = model.name;
  document["closure"] = hash_of(model.closure.text);
  document["cases"] = Json::array();
  std::map<std::string, std::string> known;
  std::set<fs::path> kept{cases_folder / "cases.json"};
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const auto &recording = recordings[i];
    auto kase = checked_case(recording, model, known);
    if (!kase) {
      capture.warnings.push_back(kase.error().message());
      continue;
    }
    const bool held_out = is_later(recordings, i) || counts.is_light(recording.slot);
    const double weight = counts.share(recording.slot);
    kase->document["held_out"] = held_out;
    kase->document["weight"] = weight;
    KOPT_CHECK(write_files(disk, cases_folder, *kase));
    for (const auto &file : kase->files) kept.insert(cases_folder / file.first);
    std::size_t bytes = 0;
    for (const auto &buffer : recording.buffers) bytes += buffer.before.size();
    capture.cases.push_back({kase->document["name"].get<std::string>(), recording.call, held_out, bytes, weight});
    document["cases"].push_back(std::move(kase->document));
  }
  if (capture.cases.empty()) {
    capture.problem = why_nothing(disk, recordings_folder, capture);
    return capture;
  }
  if (auto problem = disk.read(recordings_folder / (model.slug + ".problem"))) // of other groups of calls
    capture.warnings.push_back(first_line(*problem));
  KOPT_CHECK(write_document(disk, cases_folder / "cases.json", document));
  remove_others(disk, cases_folder, kept);
  return capture;
}

Result<void> remove_recordings(Disk &disk, const fs::path &recordings) {
  for (const auto &path : disk.files_below(recordings))
    if (path.extension() == ".raw" || path.filename().string().find(".raw.part.") != std::string::npos)
      KOPT_CHECK(disk.remove(path));
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
                         {"KOPT_CAPTURE_MOST", std::to_string(options.most_groups)},
                         {"ASAN_OPTIONS", std::string(sanitizer_options) + (options.sanitizer_options.empty() ? "" : ":") +
                                              options.sanitizer_options}};
  KOPT_TRY(outcome, processes.run(command));
  KOPT_CHECK(disk.write(run.log, fmt::format("$ {}\n{}{}", shell_quoted(words), outcome.output, outcome.errors)));
  run.told = told(outcome.errors);
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
