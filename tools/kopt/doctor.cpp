// kopt doctor: what this machine has of what KernelOpt uses, each line with what to do if it is missing.
#include "core/spec.h"
#include "kopt/verb.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kopt {

namespace {

struct Finding {
  std::string name;
  bool good = false;
  bool needed = true; // a missing needed thing fails the doctor
  std::string detail, remedy;
};

std::string first_line(const std::string &text) { return text.substr(0, text.find('\n')); }

Finding program(Context &context, const std::string &name, const std::vector<std::string> &command, bool needed,
                const std::string &remedy) {
  const auto outcome = context.processes.run({command, "", {}, {}, std::chrono::seconds(20), false});
  const bool good = outcome && outcome->succeeded();
  return {name, good, needed, good ? first_line(outcome->output) : "not found", remedy};
}

Finding landlock() {
#ifdef __NR_landlock_create_ruleset
  constexpr unsigned version_flag = 1; // LANDLOCK_CREATE_RULESET_VERSION
  const long abi = ::syscall(__NR_landlock_create_ruleset, nullptr, 0, version_flag);
#else
  const long abi = -1;
#endif
  return {"Landlock", abi > 0, false, abi > 0 ? fmt::format("ABI {}", abi) : "not available",
          "candidates then run without the file-system sandbox; a kernel 5.13 or newer has it"};
}

Finding seccomp() {
  const bool good = ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
  return {"seccomp", good, false, good ? "available" : "not available", "candidates then run without the system-call filter"};
}

Finding address_sanitizer(Context &context, const std::string &compiler) {
  const auto outcome = context.processes.run(
      {{compiler, "-fsanitize=address", "-x", "c++", "-", "-o", "/dev/null"}, "", {}, {}, std::chrono::seconds(30), false});
  // Compiling nothing fails at the missing main(), but only after libasan was found.
  const bool good = outcome && outcome->errors.find("cannot find") == std::string::npos;
  return {"AddressSanitizer", good, false, good ? "runtime found" : "runtime not found",
          "capture needs it: apt-get install libasan8 (or give CASES)"};
}

std::string kopt_source_beside(const Context &context) {
  const fs::path beside = context.program.parent_path() / "kopt-source";
  return context.disk.exists(beside) ? beside.string() : "kopt-source";
}

std::vector<Finding> examine(Context &context) {
  const std::string compiler = context.environment("CXX").value_or("c++");
  std::vector<Finding> findings;
  findings.push_back(program(context, "C++ compiler", {compiler, "--version"}, true, "apt-get install g++"));
  findings.push_back(program(context, "CMake", {"cmake", "--version"}, true, "apt-get install cmake (3.25 or newer)"));
  findings.push_back(program(context, "Ninja", {"ninja", "--version"}, false, "apt-get install ninja-build"));
  findings.push_back(
      program(context, "kopt-source", {kopt_source_beside(context), "--version"}, false,
              "needed to extract kernels, not to build or gate: build KernelOpt with libclang-22-dev and llvm-22-dev"));
  findings.push_back(address_sanitizer(context, compiler));
  findings.push_back(landlock());
  findings.push_back(seccomp());
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  findings.push_back(
      {"cores", cores > 1, false, std::to_string(cores), "with one core timing is disturbed by the judge itself"});
  return findings;
}

void diagnose(Context &context, bool as_json) {
  const auto findings = examine(context);
  Json document = Json::array();
  for (const Finding &finding : findings) {
    if (!finding.good && finding.needed) context.exit_code = exit_failed;
    document.push_back(
        {{"name", finding.name}, {"good", finding.good}, {"needed", finding.needed}, {"detail", finding.detail}});
    if (as_json) continue;
    fmt::print("{:4} {:18} {}\n", finding.good ? "ok" : finding.needed ? "FAIL" : "warn", finding.name, finding.detail);
    if (!finding.good) fmt::print("     {}\n", finding.remedy);
  }
  if (as_json) fmt::print("{}\n", document.dump(2));
}

} // namespace

void add_doctor(CLI::App &app, Context &context) {
  auto *verb = app.add_subcommand("doctor", "Say what this machine has of what KernelOpt uses");
  auto as_json = std::make_shared<bool>(false);
  verb->add_flag("--json", *as_json, "Print JSON");
  verb->callback([&context, as_json] { diagnose(context, *as_json); });
}

} // namespace kopt
