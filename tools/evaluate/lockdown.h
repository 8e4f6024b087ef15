// Lockdown: what a child process gives up before it runs code that nobody has judged. Stage one comes before the objects are
// loaded, stage two after. Each function reports what this machine could enforce; what is missing is said in the verdict and
// judging goes on without it.
#pragma once

#include <cstdint>
#include <string>

namespace kopt::lockdown {

// No core files, no file growth, a bound on memory; killed with its parent; no new privileges.
void limit_resources(std::uint64_t address_space);

// Landlock: no write to any file, no network, no signals to others. Returns the version of Landlock in force, 0 if there is
// none.
[[nodiscard]] int restrict_files();

// Stage one: no program, process, socket, debugging of others, or file opened for writing.
// With `all_threads` the same for those already started.
[[nodiscard]] bool restrict_calls_for_loading(bool all_threads);

// Stage two: only the two pipes, memory and the clock. Everything else raises SIGSYS.
[[nodiscard]] bool restrict_calls_for_running(int request_file, int record_file, bool all_threads);

// "openat" for 257; the number where it has no name.
[[nodiscard]] std::string system_call_name(int number);

} // namespace kopt::lockdown
