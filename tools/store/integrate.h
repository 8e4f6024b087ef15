// Integrate: making the source that the application builds in place of an original: the original with one dispatch at the head
// of each kernel whose accepted variant is fresh. All it needs is the store and the sources.
#pragma once

#include "core/disk.h"
#include "store/freshness.h"
#include "store/store.h"

#include <string>
#include <vector>

namespace kopt {

struct IntegrateRequest {
  std::vector<fs::path> records; // record.json of each kernel of the source
  fs::path source;               // the original
  fs::path directory;            // that recorded paths are relative to
};

struct IntegratedSource {
  std::string text;
  std::vector<std::string> kernels;  // those that got their variant
  std::vector<std::string> warnings; // one for each that did not: "file:line: warning: ..."
  std::vector<fs::path> inputs;      // all that the text depends on, existing or not
};

// An Error only if the original cannot be read: everything else leaves a kernel as it is, with a warning.
[[nodiscard]] Result<IntegratedSource> integrate(const Disk &disk, const IntegrateRequest &request);

// The same for entries already loaded, without reading the store.
[[nodiscard]] Result<IntegratedSource> integrate(const Disk &disk, const std::vector<Entry> &entries,
                                                 const IntegrateRequest &request);

// A depfile as make and Ninja read it.
[[nodiscard]] std::string depfile(const fs::path &output, const std::vector<fs::path> &inputs);

} // namespace kopt
