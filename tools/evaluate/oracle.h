// Oracle: knows what is right. It runs the baseline alone, in a child of its own, and keeps what the baseline computed in the
// supervisor's memory, where no candidate can reach it. It also measures the baseline's own noise, the tolerance's yardstick.
#pragma once

#include "evaluate/bench.h"
#include "evaluate/comparison.h"
#include "evaluate/contents.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kopt {

// What the baseline does to one image of a case's memory.
struct Truth {
  Image before, expected;
};

// What is known of a case before any candidate is judged.
struct CaseFacts {
  Shape shape;
  Masks untouched;
  Noise noise;
  bool poison_outputs = true; // false where the baseline reads what it should only write
  bool deterministic = true;
  double baseline_ns = 0;
  std::string unverifiable; // why equal output would prove nothing; empty: it would
  int dropped_contents = 0; // perturbations under which the baseline faulted or gave NaN
  std::string dropped;      // why a sized case is not used: the baseline faults or gives NaN under it; empty: it is
  std::string not_replayed; // where the baseline does not compute what the application did, bit for bit
};

class Oracle {
public:
  // Runs the baseline on every case. An Error names the case on which it cannot be run, and why.
  static Result<std::unique_ptr<Oracle>> create(const Launcher &launcher, const Model &model, const std::vector<Case> &cases,
                                                std::string baseline, std::uint64_t seed);

  [[nodiscard]] const CaseFacts &facts(int kase) const { return facts_[static_cast<std::size_t>(kase)]; }
  // How many contents a case can have: 0 is its own, the others are perturbed.
  [[nodiscard]] int contents_count(int kase) const;
  // Computed at the first demand.
  Result<const Truth *> truth(int kase, int contents);
  // Times of the baseline when nothing else is loaded.
  Result<std::vector<double>> time_alone(int kase, int placement, int calls);

  [[nodiscard]] int landlock_version() const { return landlock_version_; }
  [[nodiscard]] bool has_seccomp() const { return has_seccomp_; }

private:
  struct Run { // how to call the baseline
    int placement = 0;
    int poison = 0;
    bool poison_outputs = true;
    int rounding = FE_TONEAREST;
  };
  using Outcome = tl::expected<Image, Incident>;

  Oracle(Launcher launcher, const Model &model, const std::vector<Case> &cases, std::string baseline, std::uint64_t seed);
  Result<void> learn(int kase);
  Result<void> learn_or_drop(int kase);
  void check_replay(int kase, const Truth &truth);
  Result<void> learn_outputs(int kase, Truth &truth);
  void learn_noise(int kase, const Truth &truth);
  void add_noise(int kase, const Truth &truth, const Outcome &other);
  void learn_masks(int kase, const Truth &first, const Truth &second);
  Outcome run(int kase, const Image &image, Run how);
  [[nodiscard]] Error baseline_error(int kase, const std::string &what) const;
  [[nodiscard]] std::optional<Truth> perturbed_truth(int kase, int contents);

  Launcher launcher_;
  const Model *model_;
  const std::vector<Case> *cases_;
  std::string baseline_;
  std::uint64_t seed_;
  std::optional<Arena> arena_;
  std::optional<Bench> bench_;
  double last_ns_ = 0;
  std::vector<CaseFacts> facts_;
  std::map<std::pair<int, int>, Truth> truths_;
  int landlock_version_ = 0;
  bool has_seccomp_ = false;
};

} // namespace kopt
