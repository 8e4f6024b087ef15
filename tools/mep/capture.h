// Capture: cases recorded from one run of the application. Runs the instrumented copy of the executable, then turns the
// recordings of each kernel into a kopt-cases document beside its MEP.
//
// Of the *groups* of a kernel's calls (templates/runtime/kopt_capture.cpp) those that take most of its time give their first
// call and a late one; the late one is held out from proposers. A case's weight is the share of the kernel's time that its
// group takes.
#pragma once

#include "core/case.h"
#include "core/process.h"
#include "core/spec.h"
#include "mep/recording.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

struct CapturedCase {
  std::string name; // call-4
  long call = 0;
  bool held_out = false;
  std::size_t bytes = 0; // contents of its buffers, before
  double weight = 1;
};

// What a run of the application gave for one kernel.
struct KernelCapture {
  std::string kernel, slug;
  long calls = 0;     // seen by the recorder
  long groups = 0;    // that they fall into
  bool exact = false; // false: the application ended without saying how many there were in the end
  std::vector<CapturedCase> cases;
  std::vector<std::string> warnings; // recordings that were left out, and why
  std::string problem;               // why there are no cases; empty if there are
};

// One run of the instrumented executable.
struct CaptureRun {
  std::vector<std::string> words;
  fs::path log;                            // its output
  fs::path recordings;                     // folder
  std::vector<std::string> warnings;       // it failed, was killed ...
  std::map<std::string, std::string> told; // what the recorder could not do, by slug
};

struct CaptureOptions {
  std::optional<std::chrono::seconds> timeout;
  std::string sanitizer_options;               // the user's own ASAN_OPTIONS
  unsigned long long limit_bytes = 1ULL << 31; // contents of one call
  long most_groups = 4;                        // that are recorded of each kernel
};

// The command of the spec with the executable replaced by the instrumented one. An Error without an executable or without a
// word to replace.
[[nodiscard]] Result<std::vector<std::string>> capture_command(const Spec &spec);

// Runs it. A failing application is a warning: what was recorded by then counts. An Error where it could not be run at all.
[[nodiscard]] Result<CaptureRun> run_capture(Disk &disk, Processes &processes, const Spec &spec, const CaptureOptions &options);

// Writes <work_dir>/<slug>/cases/cases.json and its buffers from the recordings of this kernel. Without any recording nothing
// is written.
[[nodiscard]] Result<KernelCapture> convert_recordings(Disk &disk, const fs::path &recordings, const Model &model,
                                                       const fs::path &cases_folder);

// Removes the recordings, which are large, once they are cases.
Result<void> remove_recordings(Disk &disk, const fs::path &recordings);

} // namespace kopt
