// Judge: the supervisor. It owns seeds, expected outputs, budgets and the verdict. Candidates run in a child process that is
// thrown away with them.
#pragma once

#include "core/case.h"
#include "core/clock.h"
#include "core/disk.h"
#include "core/model.h"
#include "core/thoroughness.h"
#include "core/verdict.h"
#include "evaluate/inspection.h"
#include "evaluate/oracle.h"
#include "evaluate/statistics.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

// A variant as compiled: a shared object of docs/formats.md ("Judged objects"), and the texts that are inspected before it is
// loaded.
struct Candidate {
  fs::path object;
  std::string text;                   // variant.cpp
  std::string entry = "kopt_variant"; // the function that the plan calls
  std::string preprocessed;           // the compiled source after preprocessing, if there is one
  std::string preprocessed_name;      // what #line calls the variant in it
};

struct JudgeSettings {
  Launcher launcher;
  Tolerance tolerance;
  double min_speedup = 1.02;
  double confidence = 0.99;
  double quick_seconds = 0.3; // of timing, besides the two rounds that are always made
  double full_seconds = 15;
  double minimum_patience = 2;     // seconds before a candidate counts as hanging; more where the baseline takes long
  double bytes_per_second = 400e9; // nothing moves memory faster in one thread
  std::uint64_t seed = 0;          // of contents and order; 0: nobody can foresee it
  bool inspect = true;             // tests of the second line of defence do without the first
};

class Judge {
public:
  // Runs the baseline on every case, to learn what is right. An Error names the case that cannot be used.
  static Result<std::unique_ptr<Judge>> create(const Model &model, std::vector<Case> cases, const fs::path &baseline,
                                               const Disk &disk, const Clock &clock, JudgeSettings settings);
  ~Judge();

  // Every failure of the candidate is a verdict.
  [[nodiscard]] Verdict judge(const Candidate &candidate, Thoroughness thoroughness);

  // What the sandbox could enforce here: "Landlock 7, seccomp", or what is missing.
  [[nodiscard]] std::string sandbox() const;
  // Cases whose outputs prove nothing, and perturbations that were dropped, in words.
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] const CaseFacts &facts(int kase) const;

private:
  struct State;
  explicit Judge(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace kopt
