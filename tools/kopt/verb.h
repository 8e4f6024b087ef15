// Verb: one subcommand of kopt. Each verb lives in kopt/<verb>.cpp, adds its options to the command line, and runs with a
// Context.
#pragma once

#include "core/clock.h"
#include "core/disk.h"
#include "core/extraction_result.h"
#include "core/interruption.h"
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
  exit_signal = 128, // and the number of the signal that asked to end: 130 after Ctrl-C
};

// Everything outside, so that a verb can be run in a test.
struct Context {
  Disk &disk;
  Processes &processes;
  Clock &clock;
  Options::Environment environment;
  fs::path program; // the running kopt, for child processes
  int exit_code = exit_ok;
  const Interruption *interruption = nullptr;
};

// Prints "kopt: error: <message>" on stderr and sets the exit code.
void report_error(Context &context, const Error &error, int exit_code = exit_usage);

// The options in force for a target: flags, environment, the target's kopt.json, what CMake said, defaults.
[[nodiscard]] Result<Options> options_of(const Context &context, const Spec &spec,
                                         const std::map<std::string, std::string> &flags = {});

// The model of a kernel that has been extracted.
[[nodiscard]] Result<Model> model_of(const Context &context, const Spec &spec, const std::string &kernel);

// Phases, as the verbs of their names and `kopt tune` run them. Each does what it can; what it cannot do for one kernel does
// not stop it for the others.

// What came of the extraction of each kernel, in order. Only what is not as it was last time is extracted.
[[nodiscard]] Result<std::vector<ExtractionResult>> extract_kernels(Context &context, const Spec &spec,
                                                                    const std::vector<std::string> &kernels);
// Runs the application once. Returns the kernels that have no cases now, and why.
[[nodiscard]] Result<std::map<std::string, Error>> capture_kernels(Context &context, const Spec &spec,
                                                                   const std::vector<std::string> &kernels,
                                                                   const Options &options, bool quiet);
// Writes a kernel's MEP, without compiling its baseline.
[[nodiscard]] Result<void> make_mep(Context &context, const Spec &spec, const std::string &kernel, bool quiet);

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
