// Hearing: the judgement of one candidate, from loading it to the verdict: examined for correctness, then raced against the
// baseline.
#pragma once

#include "evaluate/judge.h"

#include <optional>
#include <string>
#include <vector>

namespace kopt {

// What a hearing works with; all of it outlives the hearing.
struct Grounds {
  const Model &model;
  const std::vector<Case> &cases;
  Oracle &oracle;
  Arena &arena;
  const Clock &clock;
  const JudgeSettings &settings;
  std::string baseline;
};

// Timings of one case.
struct Race {
  int kase = 0;
  std::vector<Block> blocks;
  std::vector<Call> baseline, variant;
};

class Hearing {
public:
  Hearing(const Grounds &grounds, Thoroughness thoroughness, std::uint64_t seed)
      : grounds_(grounds), thoroughness_(thoroughness), random_(seed) {}
  [[nodiscard]] Verdict run(const std::string &object);

private:
  using Finding = std::optional<Verdict>; // a verdict that ends the hearing
  struct Setting {                        // how one call is made
    int kase = 0, placement = 0, contents = 0, poison = 0;
  };

  Finding start(const std::string &object);
  Finding examine();
  Finding examine_case(int kase);
  Finding examine_determinism(int kase);
  Finding check_guards();
  Finding race(double seconds);
  Finding race_block(Race &race, int round);
  Verdict decide_by_time();
  Verdict race_and_decide(double seconds);
  [[nodiscard]] Verdict decide_from_races() const;
  [[nodiscard]] Finding check_times() const;
  [[nodiscard]] Finding check_times(const Race &race) const;
  [[nodiscard]] Finding check_beside_alone(const Race &race);
  Finding check_end();

  tl::expected<Call, Verdict> checked_call(protocol::Object object, Setting setting);
  [[nodiscard]] Finding check_memory(protocol::Object object, Setting setting);
  [[nodiscard]] Verdict verdict_of(const Incident &incident, int kase) const;
  [[nodiscard]] Verdict finding(VerdictKind kind, std::string reason, std::string evidence) const;
  [[nodiscard]] std::chrono::nanoseconds patience(int kase) const;
  [[nodiscard]] bool thorough() const { return thoroughness_ != Thoroughness::Quick; }
  [[nodiscard]] const Case &given(int kase) const { return grounds_.cases[static_cast<std::size_t>(kase)]; }
  [[nodiscard]] std::vector<int> timed_cases() const;
  void add_timings(Verdict &verdict) const;
  void add_tolerance(Verdict &verdict) const;

  Grounds grounds_;
  Thoroughness thoroughness_;
  Random random_;
  std::optional<Bench> bench_;
  std::vector<bool> ran_; // by case: whether the variant ran, or its guards failed
  std::vector<Race> races_;
  double worst_error_ = 0;
};

} // namespace kopt
