#include "evaluate/hearing.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace kopt {

using protocol::Object;

namespace {

constexpr int first_shifted = 2; // placements 0 and 1 are flush
constexpr int fewest_rounds = 2, enough_rounds = 8, most_rounds = 400;

VerdictKind kind_of(Incident::Kind kind) {
  switch (kind) {
  case Incident::Kind::GuardZone:
  case Incident::Kind::Environment:
    return VerdictKind::Incorrect;
  case Incident::Kind::SystemCall:
  case Incident::Kind::Forged:
    return VerdictKind::Suspect;
  default:
    return VerdictKind::Invalid;
  }
}

VerdictKind kind_of(Decision decision) {
  switch (decision) {
  case Decision::Faster:
    return VerdictKind::Faster;
  case Decision::Same:
    return VerdictKind::Same;
  case Decision::Slower:
    return VerdictKind::Slower;
  default:
    return VerdictKind::Inconclusive;
  }
}

std::string reason_of(Decision decision, const Interval &speedup, double min_speedup) {
  switch (decision) {
  case Decision::Faster:
    return "";
  case Decision::Same:
    return "no difference beyond 2 %";
  case Decision::Slower:
    return fmt::format("takes {:.2f} times as long", 1 / speedup.estimate);
  default:
    return fmt::format("the interval from {:.3f} to {:.3f} does not clear {:.2f}", speedup.low, speedup.high, min_speedup);
  }
}

std::vector<double> log_ratios(const Race &race) {
  std::vector<double> ratios;
  for (const Block &block : race.blocks) ratios.push_back(block.log_ratio());
  return ratios;
}

double median_time(const std::vector<Call> &calls) {
  std::vector<double> times;
  for (const Call &call : calls) times.push_back(call.claimed_ns);
  return median(std::move(times));
}

// Time that the supervisor saw besides the claimed one. Scheduling adds to it by chance, so the least counts; among the faster
// half of the calls, which are those that make a median.
double least_overhead(const std::vector<Call> &calls) {
  const double middle = median_time(calls);
  double least = std::numeric_limits<double>::infinity();
  for (const Call &call : calls)
    if (call.claimed_ns <= middle) least = std::min(least, call.overhead_ns());
  return least;
}

Interval whole_interval(const std::vector<Race> &races, const std::vector<Case> &cases, double confidence) {
  std::vector<std::vector<double>> samples;
  std::vector<double> weights;
  for (const Race &race : races) {
    samples.push_back(log_ratios(race));
    weights.push_back(cases[static_cast<std::size_t>(race.kase)].weight);
  }
  return median_interval(combine(samples, weights), confidence);
}

} // namespace

Verdict Hearing::run(const std::string &object) {
  const auto hear = [&]() -> Finding {
    if (auto found = start(object)) return found;
    if (auto found = examine()) return found;
    if (auto found = check_guards()) return found;
    Finding verdict =
        thoroughness_ == Thoroughness::Untimed ? finding(VerdictKind::Inconclusive, "not timed", "") : decide_by_time();
    if (auto found = check_end()) return found;
    return verdict;
  };
  Verdict verdict = *hear();
  if (verdict.kind != VerdictKind::Invalid) add_tolerance(verdict);
  return verdict;
}

Verdict Hearing::decide_by_time() {
  if (thoroughness_ == Thoroughness::Quick) return race_and_decide(grounds_.settings.quick_seconds);
  const double seconds = grounds_.settings.full_seconds / 2;
  const Verdict first = race_and_decide(seconds);
  if (first.kind != VerdictKind::Faster) return first;
  Verdict second = race_and_decide(seconds); // a winner among many may have been lucky: fresh samples
  if (second.kind == VerdictKind::Same || second.kind == VerdictKind::Inconclusive)
    second.reason = "the gain did not hold on fresh samples: " + second.reason;
  return second;
}

Hearing::Finding Hearing::start(const std::string &object) {
  auto bench = Bench::start(grounds_.settings.launcher, grounds_.arena, grounds_.baseline, object);
  if (!bench) return verdict_of(bench.error(), -1);
  bench_.emplace(std::move(*bench));
  return std::nullopt;
}

Hearing::Finding Hearing::examine() {
  ran_.assign(grounds_.cases.size(), false);
  for (int kase = 0; kase < static_cast<int>(grounds_.cases.size()); ++kase) {
    const CaseFacts &facts = grounds_.oracle.facts(kase);
    if (!facts.dropped.empty()) continue;
    const bool costs_little = given(kase).origin == "sized" && facts.baseline_ns < 1e6;
    if (given(kase).held_out && !thorough() && !costs_little) continue;
    if (auto found = examine_case(kase)) return found;
  }
  return std::nullopt;
}

Hearing::Finding Hearing::examine_case(int kase) {
  const int contents = grounds_.oracle.contents_count(kase);
  std::vector<Setting> settings = {{kase, 0, 0, 0}, {kase, 1, 1 % contents, 1}};
  if (thorough()) {
    settings.insert(settings.end(), {{kase, 0, 2 % contents, 1}, {kase, 1, 3 % contents, 0}});
    for (int k = 0; k < shifted_placements; ++k) settings.push_back({kase, first_shifted + k, k % contents, k % 2});
  }
  for (const Setting &setting : settings) {
    const auto call = checked_call(Object::Candidate, setting);
    if (!call) return call.error();
    ran_[static_cast<std::size_t>(kase)] = ran_[static_cast<std::size_t>(kase)] || call->variant_ran;
    if (bench_->threads() > grounds_.settings.launcher.threads)
      return finding(VerdictKind::Suspect, "started a thread", given(kase).name);
  }
  return thorough() ? examine_determinism(kase) : std::nullopt;
}

// The same call twice must give the same bytes, if the baseline does.
Hearing::Finding Hearing::examine_determinism(int kase) {
  const CaseFacts &facts = grounds_.oracle.facts(kase);
  if (!facts.deterministic) return std::nullopt;
  const int window = grounds_.arena.window_of(kase, 0);
  std::vector<Bytes> first;
  for (int run = 0; run < 2; ++run) {
    const auto call = checked_call(Object::Candidate, {kase, 0, 0, 0});
    if (!call) return call.error();
    const View view = grounds_.arena.view(window);
    std::vector<std::span<const std::uint8_t>> outputs = view.buffers;
    outputs.insert(outputs.end(), view.scalars.begin(), view.scalars.end());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (run == 0)
        first.emplace_back(outputs[k].begin(), outputs[k].end());
      else if (!std::equal(outputs[k].begin(), outputs[k].end(), first[k].begin()))
        return finding(VerdictKind::Incorrect, "two runs on the same input differ", "case " + given(kase).name);
    }
  }
  return std::nullopt;
}

Hearing::Finding Hearing::check_guards() {
  const auto timed = timed_cases();
  if (std::none_of(ran_.begin(), ran_.end(), [](bool ran) { return ran; }))
    return finding(VerdictKind::Invalid, "guards failed on every case", "the variant never ran");
  if (timed.empty()) return finding(VerdictKind::Inconclusive, "every case is held out, so none can be timed", "");
  if (std::none_of(timed.begin(), timed.end(), [&](int kase) { return ran_[static_cast<std::size_t>(kase)]; }))
    return finding(VerdictKind::Inconclusive, "guards failed on every timed case", "the variant ran on held-out cases only");
  std::string why;
  for (std::size_t k = 0; k < ran_.size(); ++k) {
    if (!ran_[k]) continue;
    const std::string &unverifiable = grounds_.oracle.facts(static_cast<int>(k)).unverifiable;
    if (unverifiable.empty()) return std::nullopt;
    why = fmt::format("case {}: {}", grounds_.cases[k].name, unverifiable);
  }
  return finding(VerdictKind::Invalid, "no case can verify it", why);
}

std::vector<int> Hearing::timed_cases() const {
  std::vector<int> timed;
  for (int kase = 0; kase < static_cast<int>(grounds_.cases.size()); ++kase)
    if (!given(kase).held_out) timed.push_back(kase);
  return timed;
}

// Rounds until the interval is narrow or the time is up. Every case is called once before, so that none is timed cold.
Hearing::Finding Hearing::race(double seconds) {
  races_.clear();
  for (const int kase : timed_cases()) races_.push_back({kase, {}, {}, {}});
  for (const Race &race : races_)
    for (const Object object : {Object::Baseline, Object::Candidate})
      if (auto call = checked_call(object, {race.kase, first_shifted, 0, 0}); !call) return call.error();
  const auto deadline = grounds_.clock.now() + std::chrono::nanoseconds(static_cast<long long>(seconds * 1e9));
  const int fewest = thoroughness_ == Thoroughness::Full ? enough_rounds : fewest_rounds;
  for (int round = 0; round < most_rounds; ++round) {
    if (round >= fewest && grounds_.clock.now() >= deadline) break;
    if (round >= enough_rounds && narrow_enough(whole_interval(races_, grounds_.cases, grounds_.settings.confidence))) break;
    for (Race &race : races_)
      if (auto found = race_block(race, round)) return found;
  }
  return std::nullopt;
}

// Four calls on the same contents at the same addresses, ABBA or BAAB; every output is checked.
Hearing::Finding Hearing::race_block(Race &race, int round) {
  const int contents = static_cast<int>(random_.below(static_cast<std::size_t>(grounds_.oracle.contents_count(race.kase))));
  const Setting setting{race.kase, first_shifted + round % shifted_placements, contents, static_cast<int>(random_.below(2))};
  const bool baseline_outside = random_.below(2) == 0;
  Block block;
  int next_baseline = 0, next_variant = 0;
  for (int k = 0; k < 4; ++k) {
    const bool outside = k == 0 || k == 3;
    const bool is_baseline = outside == baseline_outside;
    const auto call = checked_call(is_baseline ? Object::Baseline : Object::Candidate, setting);
    if (!call) return call.error();
    const double time = std::max(call->claimed_ns, 1.0);
    (is_baseline ? block.baseline_ns[next_baseline++] : block.variant_ns[next_variant++]) = time;
    (is_baseline ? race.baseline : race.variant).push_back(*call);
  }
  race.blocks.push_back(block);
  return std::nullopt;
}

// Times that look forged are measured once more before anybody is suspected: a busy machine can delay a process, but not always
// the same one.
Verdict Hearing::race_and_decide(double seconds) {
  if (auto found = race(seconds)) return *found;
  if (check_times()) {
    if (auto found = race(seconds)) return *found;
    if (auto found = check_times()) return *found;
  }
  Verdict verdict = decide_from_races();
  if (verdict.kind == VerdictKind::Faster && thoroughness_ == Thoroughness::Full)
    for (const Race &race : races_)
      if (auto found = check_beside_alone(race)) return *found;
  return verdict;
}

Verdict Hearing::decide_from_races() const {
  const JudgeSettings &settings = grounds_.settings;
  const Interval speedup = exponential(whole_interval(races_, grounds_.cases, settings.confidence));
  const Decision decision = decide(speedup, settings.min_speedup);
  Verdict verdict = finding(kind_of(decision), reason_of(decision, speedup, settings.min_speedup), "");
  verdict.speedup = speedup.estimate;
  verdict.low = speedup.low;
  verdict.high = speedup.high;
  verdict.confidence = speedup.confidence;
  add_timings(verdict);
  if (verdict.kind != VerdictKind::Faster) return verdict;
  for (const CaseTiming &timing : verdict.cases)
    if (decide({timing.speedup, timing.low, timing.high, 0}, settings.min_speedup) == Decision::Slower) {
      verdict.kind = VerdictKind::Inconclusive;
      verdict.reason = fmt::format("faster on the whole, but slower on case {} ({:.2f})", timing.name, timing.speedup);
    }
  return verdict;
}

Hearing::Finding Hearing::check_times() const {
  for (const Race &race : races_)
    if (auto found = check_times(race)) return found;
  return std::nullopt;
}

// The child measures its own times. What it claims must fit what the supervisor saw around it, and what memory allows. Few
// calls say nothing about that.
Hearing::Finding Hearing::check_times(const Race &race) const {
  if (race.blocks.size() < enough_rounds) return std::nullopt;
  const double baseline = median_time(race.baseline), variant = median_time(race.variant);
  const double usual = least_overhead(race.baseline), besides = least_overhead(race.variant);
  if (besides - usual > 30e3 + 0.05 * baseline + 0.1 * usual)
    return finding(VerdictKind::Suspect, "its times do not fit the supervisor's clock",
                   fmt::format("case {}: calls that claim {:.0f} ns take {:.0f} ns besides, those of the original {:.0f} ns",
                               given(race.kase).name, variant, besides, usual));
  const int threads = grounds_.settings.launcher.threads;
  const double floor =
      grounds_.oracle.facts(race.kase).shape.traffic_bytes() / grounds_.settings.bytes_per_second / threads * 1e9;
  if (variant < floor / 4 && baseline >= floor / 4)
    return finding(
        VerdictKind::Suspect, "faster than memory allows",
        fmt::format("case {}: {:.0f} ns, moving its data takes at least {:.0f} ns", given(race.kase).name, variant, floor));
  return std::nullopt;
}

// A candidate could make the baseline slow beside it instead of being fast itself. A busy machine does the same to some of the
// baseline's calls, so both are timed again, in turns: only one who slows it down each time is suspected.
Hearing::Finding Hearing::check_beside_alone(const Race &race) {
  double beside = median_time(race.baseline);
  for (int turn = 0; turn < 5; ++turn) {
    const auto alone = grounds_.oracle.time_alone(race.kase, first_shifted, 5);
    if (!alone || beside < 1.5 * median(*alone) + 20e3) return std::nullopt;
    Race again{race.kase, {}, {}, {}};
    for (int round = 0; round < 3; ++round)
      if (auto found = race_block(again, round)) return found;
    beside = median_time(again.baseline);
  }
  return finding(VerdictKind::Suspect, "the original runs slower beside it than alone", "case " + given(race.kase).name);
}

Hearing::Finding Hearing::check_end() {
  if (bench_->threads() > grounds_.settings.launcher.threads) return finding(VerdictKind::Suspect, "started a thread", "");
  if (const auto incident = bench_->finish()) return verdict_of(*incident, -1);
  return std::nullopt;
}

tl::expected<Call, Verdict> Hearing::checked_call(Object object, Setting setting) {
  const auto truth = grounds_.oracle.truth(setting.kase, setting.contents);
  if (!truth)
    return tl::make_unexpected(finding(VerdictKind::Invalid, "the original could not be run", truth.error().message()));
  const CaseFacts &facts = grounds_.oracle.facts(setting.kase);
  const int window = grounds_.arena.window_of(setting.kase, setting.placement);
  grounds_.arena.fill(window, (*truth)->before, poison_patterns[setting.poison], facts.poison_outputs);
  const auto call = bench_->call(object, window, patience(setting.kase));
  if (!call) return tl::make_unexpected(verdict_of(call.error(), setting.kase));
  if (auto found = check_memory(object, setting)) return tl::make_unexpected(*found);
  return *call;
}

Hearing::Finding Hearing::check_memory(Object object, Setting setting) {
  const CaseFacts &facts = grounds_.oracle.facts(setting.kase);
  const Truth &truth = **grounds_.oracle.truth(setting.kase, setting.contents);
  const int window = grounds_.arena.window_of(setting.kase, setting.placement);
  const std::uint8_t poison = poison_patterns[setting.poison];
  const std::string where = "case " + given(setting.kase).name;
  if (const auto disturbed = grounds_.arena.disturbed_slack(window, poison))
    return finding(VerdictKind::Incorrect, "writes " + *disturbed, where);
  const Expectation expectation{&facts.shape,     &truth.before, &truth.expected,
                                &facts.untouched, &facts.noise,  facts.poison_outputs ? std::optional(poison) : std::nullopt};
  const Comparison comparison = compare(expectation, grounds_.arena.view(window), grounds_.settings.tolerance);
  if (object == Object::Candidate) worst_error_ = std::max(worst_error_, comparison.worst_error);
  if (comparison.agrees) return std::nullopt;
  const std::string evidence = fmt::format("{}, contents {}: {}", where, setting.contents, comparison.evidence);
  if (object == Object::Baseline)
    return finding(VerdictKind::Suspect, "the original computes something else beside it", evidence);
  return finding(VerdictKind::Incorrect, comparison.reason, evidence);
}

Verdict Hearing::verdict_of(const Incident &incident, int kase) const {
  const std::string where = kase < 0 ? "" : "case " + given(kase).name;
  if (incident.object == Object::Baseline && incident.kind != Incident::Kind::Loading)
    return finding(VerdictKind::Suspect, "the original fails beside it: " + incident.text, where);
  return finding(kind_of(incident.kind), incident.text, where);
}

Verdict Hearing::finding(VerdictKind kind, std::string reason, std::string evidence) const {
  Verdict verdict;
  verdict.kind = kind;
  verdict.reason = std::move(reason);
  verdict.evidence = std::move(evidence);
  return verdict;
}

std::chrono::nanoseconds Hearing::patience(int kase) const {
  const double nanoseconds = std::max(20 * grounds_.oracle.facts(kase).baseline_ns, grounds_.settings.minimum_patience * 1e9);
  return std::chrono::nanoseconds(static_cast<long long>(nanoseconds));
}

void Hearing::add_timings(Verdict &verdict) const {
  double all = 0;
  for (const Race &race : races_) all += given(race.kase).weight;
  for (const Race &race : races_) {
    const Interval speedup = exponential(median_interval(log_ratios(race), grounds_.settings.confidence));
    verdict.cases.push_back({given(race.kase).name, speedup.estimate, speedup.low, speedup.high, median_time(race.baseline),
                             median_time(race.variant), static_cast<int>(race.blocks.size()) * 2,
                             given(race.kase).weight / all});
    if (!ran_[static_cast<std::size_t>(race.kase)])
      verdict.evidence +=
          fmt::format("{}guards failed on case {}", verdict.evidence.empty() ? "" : "\n", given(race.kase).name);
  }
}

// The widest limit among floating-point outputs, and what set it.
void Hearing::add_tolerance(Verdict &verdict) const {
  const Tolerance &given_tolerance = grounds_.settings.tolerance;
  verdict.absolute_tolerance = given_tolerance.absolute;
  verdict.worst_error = worst_error_;
  verdict.tolerance_source = "exact";
  const auto consider = [&](const std::vector<Region> &regions, const std::vector<double> &noise) {
    for (std::size_t k = 0; k < regions.size(); ++k) {
      if (!regions[k].written || !regions[k].is_float()) continue;
      const double limit = error_limit(regions[k].element.size, given_tolerance, noise[k]);
      if (limit <= verdict.relative_tolerance) continue;
      verdict.relative_tolerance = limit;
      const bool is_given = limit >= given_limit(regions[k].element.size, given_tolerance);
      verdict.tolerance_source = is_given                                           ? "given"
                                 : limit > 32 * epsilon_of(regions[k].element.size) ? "rounding-mode band"
                                                                                    : "32 epsilon";
    }
  };
  for (int kase = 0; kase < static_cast<int>(grounds_.cases.size()); ++kase) {
    const CaseFacts &facts = grounds_.oracle.facts(kase);
    consider(facts.shape.buffers, facts.noise.buffers);
    consider(facts.shape.scalars, facts.noise.scalars);
  }
}

} // namespace kopt
