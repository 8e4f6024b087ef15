// kopt: the command line. Every verb is a phase that can be the last; each lives in a file of its name.
#include "kopt/verb.h"

#include <csignal>
#include <fmt/format.h>

namespace kopt {

namespace {

void add_verbs(CLI::App &app, Context &context) {
  for (const auto add : {add_extract, add_explain, add_mep, add_probe, add_capture, add_evaluate, add_runner, add_tune,
                         add_integrate, add_validate, add_gate, add_report, add_doctor})
    add(app, context);
}

int run(int argc, char **argv) {
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk, not the end
  RealDisk disk;
  RealProcesses processes;
  RealClock clock;
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  Context context{disk, processes, clock, process_environment, code ? fs::path(argv[0]) : program};

  CLI::App app("Optimizes named kernels of an application offline and builds the winners back in.", "kopt");
  app.set_version_flag("--version", std::string("kopt ") + KOPT_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 the answer is no, 2 bad input or a missing tool, 77 skipped, 128 + n ended by signal n.");
  add_verbs(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  return context.exit_code;
}

} // namespace
} // namespace kopt

int main(int argc, char **argv) {
  try {
    return kopt::run(argc, argv);
  } catch (const std::exception &error) { // what is thrown here is a defect or no memory: never a user's mistake
    fmt::print(stderr, "kopt: internal error: {}; please report it with the command line\n", error.what());
    return kopt::exit_usage;
  }
}
