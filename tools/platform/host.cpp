#include "platform/host.h"

#include "core/openmp.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

namespace kopt {
namespace {

// An option that is left out; `takes_word` where its value is the next argument.
struct Dropped {
  const char *option;
  bool is_prefix, takes_word;
};

constexpr std::array<Dropped, 14> dropped_options{{{"-iquote", false, true},
                                                   {"-include-pch", false, true},
                                                   {"-Winvalid-pch", false, false},
                                                   {"-Werror", true, false},
                                                   {"-pedantic-errors", false, false},
                                                   {"--coverage", false, false},
                                                   {"-ftest-coverage", false, false},
                                                   {"-fprofile-arcs", false, false},
                                                   {"-save-temps", true, false},
                                                   {"-MD", false, false},
                                                   {"-MMD", false, false},
                                                   {"-MP", false, false},
                                                   {"-fdiagnostics-color", true, false},
                                                   {"-flto", true, false}}};

const Dropped *dropped(const std::string &argument) {
  auto found = std::find_if(dropped_options.begin(), dropped_options.end(), [&](const Dropped &drop) {
    return drop.is_prefix ? argument.starts_with(drop.option) : argument == drop.option;
  });
  return found == dropped_options.end() ? nullptr : &*found;
}

// Options after the application's own that make a loadable object. Everything that is not marked stays inside it, so that two
// objects in one process cannot meet; -w: warnings are the application's business, errors alone are a diagnosis.
const std::vector<std::string> object_options = {
    "-fPIC", "-shared", "-fvisibility=hidden", "-fno-semantic-interposition", "-w", "-fdiagnostics-color=never"};

std::string first_line(const std::string &text) { return text.substr(0, text.find('\n')); }

std::string diagnosis_of(const Outcome &outcome, const BuildJob &job) {
  auto text = outcome.errors + outcome.output;
  if (outcome.timed_out)
    text += fmt::format("\ncompiling took longer than {} s and was stopped\n", static_cast<double>(job.timeout.count()) / 1000);
  else if (outcome.signal != 0)
    text += fmt::format("\nthe compiler was killed by signal {}\n", outcome.signal);
  return text;
}

} // namespace

std::vector<std::string> closure_arguments(const std::vector<std::string> &arguments) {
  std::vector<std::string> kept;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (const auto *drop = dropped(arguments[k]))
      k += drop->takes_word ? 1 : 0;
    else
      kept.push_back(arguments[k]);
  }
  return kept;
}

Result<Outcome> HostPlatform::run(const Compile &how, const BuildJob &job, const std::vector<std::string> &words) {
  Command command;
  command.words = words;
  command.directory = how.directory;
  command.environment = {{"LC_ALL", "C"}}; // diagnoses are read by programs
  command.timeout = job.timeout;
  auto outcome = processes_.run(command);
  if (!outcome)
    return fail(fmt::format("the compiler {} cannot be run: {}", how.compiler, outcome.error().what), outcome.error().where,
                "it is the one the application was configured with: install it, or configure again");
  return outcome;
}

Result<Build> HostPlatform::build(const Compile &how, const BuildJob &job) {
  KOPT_CHECK(disk_.write(job.source, job.text));
  Build build;
  build.command = {how.compiler};
  for (const auto &part : {closure_arguments(how.arguments), object_options, job.extra})
    build.command.insert(build.command.end(), part.begin(), part.end());
  // Another process may be loading the object that is made anew.
  const std::string temporary = fmt::format("{}.{}.tmp", job.object.string(), ::getpid());
  build.command.insert(build.command.end(), {"-o", temporary, job.source.string()});
  KOPT_TRY(outcome, run(how, job, build.command));
  build.succeeded = outcome.succeeded();
  if (build.succeeded && disk_.exists(temporary)) KOPT_CHECK(disk_.rename(temporary, job.object));
  build.diagnosis = diagnosis_of(outcome, job);
  build.seconds = outcome.seconds;
  return build;
}

Result<Preprocessed> HostPlatform::preprocess(const Compile &how, const BuildJob &job) {
  KOPT_CHECK(disk_.write(job.source, job.text));
  Preprocessed result;
  auto &build = result.build;
  build.command = {how.compiler};
  for (const auto &part : {closure_arguments(how.arguments), job.extra, {"-w", "-E", job.source.string()}})
    build.command.insert(build.command.end(), part.begin(), part.end());
  KOPT_TRY(outcome, run(how, job, build.command));
  build.succeeded = outcome.succeeded();
  build.seconds = outcome.seconds;
  result.text = std::move(outcome.output);
  outcome.output.clear();
  build.diagnosis = diagnosis_of(outcome, job);
  return result;
}

Result<std::map<std::string, std::string>> HostPlatform::environment(const Compile &how) {
  std::map<std::string, std::string> facts{{"cpu", "unknown"}};
  std::istringstream cpuinfo(disk_.read("/proc/cpuinfo").value_or(""));
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!line.starts_with("model name") && !line.starts_with("Model")) continue;
    auto value = line.find(": ");
    if (value != std::string::npos) facts["cpu"] = line.substr(value + 2);
    break;
  }
  KOPT_TRY(outcome, run(how, {}, {how.compiler, "--version"}));
  facts["compiler"] = first_line(outcome.output);
  facts["flags"] = shell_quoted(how.arguments);
  if (uses_openmp(how.arguments)) facts["openmp_threads"] = std::to_string(openmp_threads(how.arguments));
  return facts;
}

Result<std::unique_ptr<Platform>> make_platform(const std::string &name, Disk &disk, Processes &processes) {
  if (name == "host") return std::make_unique<HostPlatform>(disk, processes);
  return fail(fmt::format("platform \"{}\" is not in this version of KernelOpt", name), {},
              "it optimizes platform host: ordinary functions");
}

} // namespace kopt
