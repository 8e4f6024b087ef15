// Verb: one subcommand of kopt. Each verb lives in kopt/<verb>.cpp, adds its options to the command line, and runs with a
// Context.
#pragma once

#include "core/clock.h"
#include "core/disk.h"
#include "core/model.h"
#include "core/options.h"
#include "core/process.h"
#include "core/spec.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace kopt {

// Exit codes of every verb.
enum ExitCode : int {
  exit_ok = 0,
  exit_failed = 1,   // the work was done and the answer is no: a gate fails, nothing could be extracted
  exit_usage = 2,    // bad command line, bad input file, missing tool
  exit_skipped = 77, // a gate that has nothing to check; the reason is printed
};

// Everything outside, so that a verb can be run in a test.
struct Context {
  Disk &disk;
  Processes &processes;
  Clock &clock;
  Options::Environment environment;
  fs::path program; // the running kopt, for child processes
  int exit_code = exit_ok;
};

// Prints "kopt: error: <message>" on stderr and sets the exit code.
void report_error(Context &context, const Error &error, int exit_code = exit_usage);

// The options in force for a target: flags, environment, the target's kopt.json, what CMake said, defaults.
[[nodiscard]] Result<Options> options_of(const Context &context, const Spec &spec,
                                         const std::map<std::string, std::string> &flags = {});

// The model of a kernel that has been extracted.
[[nodiscard]] Result<Model> model_of(const Context &context, const Spec &spec, const std::string &kernel);

// Each adds one subcommand whose callback does the work and sets context.exit_code.
void add_extract(CLI::App &app, Context &context);
void add_explain(CLI::App &app, Context &context);
void add_mep(CLI::App &app, Context &context);
void add_probe(CLI::App &app, Context &context);
void add_capture(CLI::App &app, Context &context);
void add_evaluate(CLI::App &app, Context &context);
void add_runner(CLI::App &app, Context &context); // internal: oracle and runner processes
void add_tune(CLI::App &app, Context &context);
void add_integrate(CLI::App &app, Context &context);
void add_validate(CLI::App &app, Context &context);
void add_gate(CLI::App &app, Context &context);
void add_report(CLI::App &app, Context &context);
void add_doctor(CLI::App &app, Context &context);

} // namespace kopt
