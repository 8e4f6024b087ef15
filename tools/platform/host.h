// Host: ordinary functions on the CPU, compiled by the application's own compiler with its own flags into shared objects.
#pragma once

#include "platform/platform.h"

namespace kopt {

class HostPlatform final : public Platform {
public:
  HostPlatform(Disk &disk, Processes &processes) : disk_(disk), processes_(processes) {}

  [[nodiscard]] std::string name() const override { return "host"; }
  Result<Build> build(const Compile &how, const BuildJob &job) override;
  Result<Preprocessed> preprocess(const Compile &how, const BuildJob &job) override;
  Result<std::map<std::string, std::string>> environment(const Compile &how) override;

private:
  Result<Outcome> run(const Compile &how, const BuildJob &job, const std::vector<std::string> &words);

  Disk &disk_;
  Processes &processes_;
};

// The application's arguments without those that have no meaning for one self-contained source: search paths of quoted
// includes, precompiled headers, diagnostics as errors, coverage, link-time optimization, dependency output.
[[nodiscard]] std::vector<std::string> closure_arguments(const std::vector<std::string> &arguments);

} // namespace kopt
