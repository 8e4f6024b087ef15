// Probe: the generated code at the head of a kernel's body, in the instrumented copy of the application, that hands the call to
// the recorder (templates/runtime/kopt_capture.cpp). When the recorder wants the call, the probe records its leaves, calls the
// kernel once more (that call runs the body), and records what it left and returned.
//
// The source is compiled with AddressSanitizer's books on objects but without its checks
// (cmake/KernelOpt/KernelOptCapture.cmake), so the kernel computes as in the application, and an application with a stray read
// is recorded all the same.
#pragma once

#include "core/model.h"
#include "mep/edit.h"

#include <string>
#include <vector>

namespace kopt {

// The probe of one kernel. An Error where it cannot be recorded: templates, constexpr kernels, unnamed parameters, pointers to
// pointers.
[[nodiscard]] Result<AnchoredEdit> probe_edit(const Model &model);

// Declarations that instrumented sources carry at their top: struct kopt_probe_leaf, kopt_probe_site, kopt_probe_call and the
// recorder's functions. Without any #include; C++11 and later.
[[nodiscard]] std::string probe_prelude();

struct InstrumentedSource {
  std::string text;
  std::vector<Error> problems; // kernels of this source that have no probe, and why
};

// The source with the probes of those `models` that are defined in `file`; without any, its own text behind a #line.
// A kernel in a header that the source includes is probed with the header's text in the place of its #include.
[[nodiscard]] InstrumentedSource instrument(const Disk &disk, const std::string &original, const std::string &file,
                                            const std::vector<Model> &models);

} // namespace kopt
