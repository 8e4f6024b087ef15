// kopt runner: the child process of a judge. Hidden: it speaks with its parent through inherited pipes (evaluate/protocol.h).
#include "evaluate/runner.h"

#include "kopt/verb.h"

namespace kopt {

void add_runner(CLI::App &app, Context &context) {
  auto *verb = app.add_subcommand("runner", "Run kernels for a judge (internal)");
  verb->group("");
  verb->callback([&context] { context.exit_code = run_runner(); });
}

} // namespace kopt
