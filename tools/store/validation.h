// Validation: what accepted variants are worth inside their application. RUN is run in pairs, once with KOPT_DISABLE=1 (off)
// and once without (on), in the order off on, on off, off on ...; the application's own runtime measures each kernel. A variant
// that is faster there, while the application prints the same, is *validated*. One that changes the output, is slower, or never
// runs is rolled back, with the evidence kept in the store. What cannot be decided stays provisional.
#pragma once

#include "core/clock.h"
#include "evaluate/statistics.h"
#include "store/application.h"
#include "store/output.h"
#include "store/store.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kopt {

struct ValidationSettings {
  int pairs = 6;
  double confidence = 0.95;
  OutputTolerance tolerance;
  std::function<void(const std::string &)> progress; // one line about what is done now; may be empty
};

struct KernelFinding {
  enum class Standing { Validated, RolledBack, Provisional };
  std::string kernel, slug;
  Standing standing = Standing::Provisional;
  std::string reason;
  bool unreadable = false; // what the store has for it cannot be used; `reason` says why
  Interval speedup;        // of a call inside the application; zero where not measured
  double mep_speedup = 0;
  unsigned long long calls = 0, variant_calls = 0; // of one run
};

struct TargetFinding {
  std::vector<KernelFinding> kernels;
  Interval application;                   // speedup of the whole run
  double off_seconds = 0, on_seconds = 0; // medians
  int pairs = 0;
  std::string output; // "42 numbers agree", or why they could not be compared
};

// Validates the accepted variants of these kernels of one target (all of the spec's where none is named) and marks them in the
// store. An Error where the application cannot be run, or fails with variants off too.
[[nodiscard]] Result<TargetFinding> validate(Disk &disk, Processes &processes, Clock &clock, const Spec &spec,
                                             const std::vector<std::string> &kernels, const ValidationSettings &settings);

// One run with variants on against runs with them off: how it differs, if it does. Also used by the gate.
struct RunComparison {
  bool comparable = true;
  std::optional<std::string> difference;
  std::string text;
};
[[nodiscard]] RunComparison compare_runs(const std::vector<ApplicationRun> &off, const ApplicationRun &on,
                                         const OutputTolerance &tolerance);

} // namespace kopt
