// Gate: what CTest asks about each kernel. A check passes, fails, or is *skipped* where there is nothing to check or something
// it needs is not there; each says why.
//   fresh    the accepted variant still belongs to the sources as they are
//   build    the source with it compiles with the application's flags
//   correct  it still computes what the original does, on every case
//   faster   it is still faster than the original
//   app      the application prints the same with variants on and off
#pragma once

#include "core/disk.h"
#include "core/model.h"
#include "core/process.h"
#include "core/spec.h"
#include "platform/platform.h"
#include "search/evaluator.h"
#include "store/output.h"
#include "store/store.h"

#include <functional>
#include <memory>
#include <string>

namespace kopt {

enum class GateOutcome { Pass, Fail, Skip };

struct GateAnswer {
  GateOutcome outcome = GateOutcome::Skip;
  std::string text; // one line, and the evidence below it where there is some
};

struct GateSettings {
  bool required = false; // nothing accepted is a failure
  OutputTolerance tolerance;
};

class Gate {
public:
  // Makes the judge of a kernel; asked only by `correct`, which times nothing, and `faster`, which judges in full.
  using MakeEvaluator = std::function<Result<std::unique_ptr<Evaluator>>(const Model &model)>;

  Gate(Disk &disk, Processes &processes, const Spec &spec, const std::string &kernel, GateSettings settings);

  GateAnswer fresh();
  GateAnswer build();
  GateAnswer correct(const MakeEvaluator &make);
  GateAnswer faster(const MakeEvaluator &make);
  GateAnswer app();

private:
  // The entry, if there is one and it is fresh; else the answer of every other check.
  [[nodiscard]] tl::expected<Entry, GateAnswer> usable_entry();
  // What a check that rebuilds needs besides the store; a skip if this build folder does not have it.
  [[nodiscard]] tl::expected<Model, GateAnswer> model() const;
  tl::expected<Verdict, GateAnswer> judge(const MakeEvaluator &make, Thoroughness thoroughness);
  tl::expected<Build, GateAnswer> compile(const Model &model, const std::string &text);

  Disk &disk_;
  Processes &processes_;
  const Spec &spec_;
  std::string kernel_, slug_;
  GateSettings settings_;
};

} // namespace kopt
