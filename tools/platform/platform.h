// Platform: how sources of one kind (cuda, hip, host) become something that can be launched and timed.
//
// A *build* is a source text made into an object that can be loaded while kopt runs. A build that the compiler refuses is an
// answer, not an Error: its diagnosis goes to whoever wrote the text. On the host an object is a shared object
// (docs/formats.md, "Judged objects"); its kopt_call is launched and timed in the runner's process, which the part `evaluate`
// owns.
#pragma once

#include "core/disk.h"
#include "core/error.h"
#include "core/model.h"
#include "core/process.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kopt {

struct BuildJob {
  std::string text;               // the whole source
  fs::path source;                // where it is written
  fs::path object;                // what is made
  std::vector<std::string> extra; // options after all others
  std::chrono::milliseconds timeout{120'000};
};

struct Build {
  bool succeeded = false;
  std::string diagnosis;            // what the compiler said; "" where it said nothing
  std::vector<std::string> command; // as it was run
  double seconds = 0;
};

// A source after preprocessing, with its #line directives.
struct Preprocessed {
  Build build;
  std::string text;
};

class Platform {
public:
  virtual ~Platform() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  // Compiles as the application compiles the kernel's source. An Error only where the compiler could not be run or the source
  // not be written.
  virtual Result<Build> build(const Compile &how, const BuildJob &job) = 0;
  virtual Result<Preprocessed> preprocess(const Compile &how, const BuildJob &job) = 0;
  // What a record says of where a verdict was reached: cpu, compiler, flags.
  virtual Result<std::map<std::string, std::string>> environment(const Compile &how) = 0;
};

// The platform of this name ("host"); an Error for those that this version does not have.
[[nodiscard]] Result<std::unique_ptr<Platform>> make_platform(const std::string &name, Disk &disk, Processes &processes);

} // namespace kopt
