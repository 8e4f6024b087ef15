#include "store/application.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kopt {

namespace {

struct TimeLine { // of a KOPT_TIME file
  std::string kernel, target;
  KernelTime time;
};

void from_json(const Json &json, TimeLine &line) {
  json.at("kernel").get_to(line.kernel);
  json.at("target").get_to(line.target);
  json.at("calls").get_to(line.time.calls);
  json.at("variant_calls").get_to(line.time.variant_calls);
  json.at("seconds").get_to(line.time.seconds);
  json.at("first_call_seconds").get_to(line.time.first_call_seconds);
}

} // namespace

double KernelTime::per_call() const {
  if (calls == 0) return 0;
  if (calls <= processes) return seconds / static_cast<double>(calls);
  return (seconds - first_call_seconds) / static_cast<double>(calls - processes);
}

std::string Disabled::text() const { return all ? "1" : fmt::format("{}", fmt::join(slugs, ",")); }

std::vector<std::string> Application::words() const {
  if (!spec_.run.empty()) return spec_.run;
  return spec_.executable.empty() ? std::vector<std::string>{} : std::vector<std::string>{spec_.executable};
}

Result<void> Application::check() const {
  const auto line = words();
  if (line.empty()) return fail("there is no command that runs it", spec_.target, "give kopt_optimize_target() a RUN command");
  if (fs::path(line.front()).is_absolute() && !disk_.exists(line.front()))
    return fail("is not built", line.front(), "build the application first (ninja)");
  return {};
}

Command Application::command(std::vector<std::string> words, const Disabled &disabled,
                             std::optional<std::chrono::milliseconds> timeout) const {
  Command command{std::move(words), spec_.run_directory, {}, {"KOPT_TRACE", "KOPT_TIME", "KOPT_DISABLE"}, timeout, false};
  if (const auto text = disabled.text(); !text.empty()) command.environment["KOPT_DISABLE"] = text;
  std::erase_if(command.without_environment, [&](const auto &name) { return command.environment.contains(name); });
  return command;
}

Result<ApplicationRun> Application::run(const Disabled &disabled, std::optional<std::chrono::milliseconds> timeout) {
  const fs::path times = spec_.work_dir / "validate" / "times.jsonl";
  KOPT_CHECK(disk_.remove(times));
  KOPT_CHECK(disk_.write(times, "")); // makes the folder; the application appends
  Command line = command(words(), disabled, timeout);
  line.environment["KOPT_TIME"] = times.string();
  std::erase(line.without_environment, "KOPT_TIME");
  KOPT_TRY(outcome, processes_.run(line));
  KOPT_TRY(kernels, read_times(disk_, times, spec_.target));
  KOPT_CHECK(disk_.remove(times));
  return ApplicationRun{std::move(outcome), std::move(kernels)};
}

Result<Outcome> Application::run_check(const Disabled &disabled, std::optional<std::chrono::milliseconds> timeout) {
  return processes_.run(command(spec_.validate, disabled, timeout));
}

Result<std::map<std::string, KernelTime>> read_times(const Disk &disk, const fs::path &path, const std::string &target) {
  KOPT_TRY(text, disk.read(path));
  std::map<std::string, KernelTime> times;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const std::string where = fmt::format("{}:{}", path.string(), number + 1);
    KOPT_TRY(json, parse_json(std::string_view(text).substr(begin, end - begin), where));
    KOPT_TRY(line, decode<TimeLine>(json, where));
    begin = end + 1;
    if (line.target != target || line.time.calls == 0) continue;
    KernelTime &time = times[line.kernel];
    time.calls += line.time.calls;
    time.variant_calls += line.time.variant_calls;
    time.processes += 1;
    time.seconds += line.time.seconds;
    time.first_call_seconds += line.time.first_call_seconds;
  }
  return times;
}

} // namespace kopt
