#include "store/validation.h"

#include "store/freshness.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kopt {

namespace {

using Standing = KernelFinding::Standing;
using std::chrono::milliseconds;

std::string ending_of(const ApplicationRun &run) {
  if (run.outcome.timed_out) return "did not end";
  if (run.outcome.signal != 0) return fmt::format("was ended by signal {}", run.outcome.signal);
  return fmt::format("ended with exit code {}", run.outcome.exit_code);
}

struct Accepted { // an entry under validation
  Entry entry;
  KernelFinding finding;
  std::vector<double> log_ratios;
};

class TargetValidation {
public:
  TargetValidation(Disk &disk, Processes &processes, Clock &clock, const Spec &spec, const ValidationSettings &settings)
      : disk_(disk), clock_(clock), spec_(spec), settings_(settings), application_(disk, processes, spec) {}

  Result<TargetFinding> run(const std::vector<std::string> &kernels) {
    KOPT_CHECK(load_entries(kernels));
    if (!accepted_.empty()) {
      KOPT_CHECK(application_.check());
      KOPT_CHECK(compare_outputs_once());
      KOPT_CHECK(measure());
      decide_all();
      KOPT_CHECK(store_all());
    }
    for (Accepted &one : accepted_) result_.kernels.push_back(one.finding);
    return std::move(result_);
  }

private:
  void say(const std::string &line) const {
    if (settings_.progress) settings_.progress(line);
  }

  // Kernels without a usable entry, or with a stale one, which the build leaves out, are reported and left alone.
  Result<void> load_entries(const std::vector<std::string> &kernels) {
    Sources sources(disk_);
    for (const std::string &kernel : kernels.empty() ? spec_.kernels : kernels) {
      KernelFinding finding;
      finding.kernel = kernel, finding.slug = spec_.slug_of(kernel);
      asked_.insert(finding.slug);
      auto entry = find_entry(disk_, spec_, finding.slug, host_arch());
      if (!entry) {
        finding.reason = entry.error().message();
        finding.unreadable = true;
      } else if (!*entry) {
        finding.reason = "nothing accepted";
      } else if (const auto fresh = check_fresh(sources, (*entry)->record, spec_.directory); !fresh) {
        finding.reason = "stale: " + fresh.error().message();
      } else {
        finding.mep_speedup = (*entry)->record.verdict.speedup;
        accepted_.push_back({std::move(**entry), finding, {}});
        continue;
      }
      result_.kernels.push_back(finding);
    }
    return {};
  }

  Result<ApplicationRun> run_off() {
    KOPT_TRY(run, application_.run({true, {}}));
    if (!run.outcome.succeeded())
      return fail(fmt::format("the application {} with KOPT_DISABLE=1, so its variants cannot be validated", ending_of(run)),
                  shell_quoted(application_.words()), "make RUN a command that succeeds");
    longest_ = std::max(longest_, run.outcome.seconds);
    off_.push_back(run);
    return run;
  }

  // A variant that makes the application hang must not stop the validation.
  Result<ApplicationRun> run_on(const std::set<std::string> &disabled) {
    return application_.run({false, with_others(disabled)}, patience());
  }
  // Kernels that were not asked about run their originals.
  [[nodiscard]] std::set<std::string> with_others(std::set<std::string> disabled) const {
    for (const std::string &kernel : spec_.kernels)
      if (!asked_.contains(spec_.slug_of(kernel))) disabled.insert(spec_.slug_of(kernel));
    return disabled;
  }
  [[nodiscard]] milliseconds patience() const { return milliseconds(static_cast<long>(1000 * (30 + 10 * longest_))); }

  // How a run with these kernels disabled differs from runs with variants off; nothing if it does not.
  Result<std::optional<std::string>> difference(const std::set<std::string> &disabled) {
    KOPT_TRY(run, run_on(disabled));
    const auto comparison = compare_runs(off_, run, settings_.tolerance);
    result_.output = comparison.text;
    if (comparison.difference || !application_.has_check()) return comparison.difference;
    KOPT_TRY(check, application_.run_check({false, with_others(disabled)}, patience()));
    if (check.succeeded()) return std::nullopt;
    return std::optional<std::string>(fmt::format("VALIDATE {} with variants on", ending_of({check, {}})));
  }

  Result<void> check_reference() {
    if (!application_.has_check()) return {};
    KOPT_TRY(check, application_.run_check({true, {}}));
    if (check.succeeded()) return {};
    return fail(fmt::format("the VALIDATE command {} with KOPT_DISABLE=1", ending_of({check, {}})),
                shell_quoted(spec_.validate), "make it a command that succeeds");
  }

  [[nodiscard]] std::set<std::string> all_but(const std::string &slug) const {
    std::set<std::string> others;
    for (const Accepted &one : accepted_)
      if (one.finding.slug != slug) others.insert(one.finding.slug);
    return others;
  }

  void blame(Accepted &one, const std::string &reason) {
    one.finding.standing = Standing::RolledBack;
    one.finding.reason = reason;
    excluded_.insert(one.finding.slug);
  }

  // Two runs off, so that noise is seen, and one on. If it differs, each variant is tried alone; those that differ alone are to
  // blame, and if none does, all are.
  Result<void> compare_outputs_once() {
    say("comparing the application's output with variants on and off");
    KOPT_CHECK(check_reference());
    KOPT_CHECK(run_off());
    KOPT_CHECK(run_off());
    KOPT_TRY(together, difference({}));
    if (!together) return {};
    say("the output differs; trying each variant alone");
    for (Accepted &one : accepted_) {
      KOPT_TRY(alone, difference(all_but(one.finding.slug)));
      if (alone) blame(one, "changes the application's output: " + *alone);
    }
    if (excluded_.empty()) return blame_all(*together);
    KOPT_TRY(rest, difference(excluded_));
    if (rest) blame_all(*rest);
    return {};
  }

  Result<void> blame_all(const std::string &reason) {
    for (Accepted &one : accepted_)
      if (!excluded_.contains(one.finding.slug)) blame(one, "changes the application's output together with others: " + reason);
    return {};
  }

  // Whole runs in pairs, so that slow changes of the machine cancel.
  Result<void> measure() {
    if (excluded_.size() == accepted_.size()) return {};
    std::vector<double> log_ratios, off_seconds, on_seconds;
    for (int pair = 0; pair < settings_.pairs; ++pair) {
      say(fmt::format("pair {} of {}", pair + 1, settings_.pairs));
      const bool off_first = pair % 2 == 0;
      auto first = off_first ? run_off() : run_on(excluded_);
      if (!first) return tl::make_unexpected(first.error());
      auto second = off_first ? run_on(excluded_) : run_off();
      if (!second) return tl::make_unexpected(second.error());
      const ApplicationRun &off = off_first ? *first : *second, &on = off_first ? *second : *first;
      if (const auto comparison = compare_runs(off_, on, settings_.tolerance); comparison.difference)
        return blame_all(fmt::format("{} (in run {})", *comparison.difference, pair + 2));
      note_pair(off, on);
      if (off.outcome.seconds <= 0 || on.outcome.seconds <= 0) continue;
      log_ratios.push_back(std::log(off.outcome.seconds / on.outcome.seconds));
      off_seconds.push_back(off.outcome.seconds);
      on_seconds.push_back(on.outcome.seconds);
      result_.pairs = pair + 1;
    }
    result_.application = exponential(median_interval(log_ratios, settings_.confidence));
    result_.off_seconds = median(off_seconds);
    result_.on_seconds = median(on_seconds);
    return {};
  }

  void note_pair(const ApplicationRun &off, const ApplicationRun &on) {
    for (Accepted &one : accepted_) {
      const auto with = on.kernels.find(one.finding.slug), without = off.kernels.find(one.finding.slug);
      if (with == on.kernels.end() || without == off.kernels.end()) continue;
      one.finding.calls = with->second.calls;
      one.finding.variant_calls = with->second.variant_calls;
      if (with->second.per_call() > 0 && without->second.per_call() > 0)
        one.log_ratios.push_back(std::log(without->second.per_call() / with->second.per_call()));
    }
  }

  void decide_all() {
    for (Accepted &one : accepted_)
      if (one.finding.standing != Standing::RolledBack) decide_one(one);
  }

  void decide_one(Accepted &one) const {
    KernelFinding &finding = one.finding;
    if (finding.calls == 0) {
      finding.reason = "RUN did not call it; if the application was not built since it was accepted, build it first";
      return;
    }
    finding.speedup = exponential(median_interval(one.log_ratios, settings_.confidence));
    if (finding.variant_calls == 0) {
      finding.standing = Standing::RolledBack;
      finding.reason = fmt::format("never runs in the application: its guards did not hold in any of {} calls", finding.calls);
    } else if (finding.speedup.low > 1) {
      finding.standing = Standing::Validated;
      if (finding.variant_calls < finding.calls)
        finding.reason = fmt::format("runs in {} of {} calls", finding.variant_calls, finding.calls);
    } else if (finding.speedup.high < 1) {
      finding.standing = Standing::RolledBack;
      finding.reason = fmt::format("slower inside the application: {:.2f}x [{:.2f}, {:.2f}]", finding.speedup.estimate,
                                   finding.speedup.low, finding.speedup.high);
    } else {
      finding.reason = "no clear gain inside the application";
    }
  }

  Result<void> store_all() {
    for (Accepted &one : accepted_) {
      const KernelFinding &finding = one.finding;
      if (finding.calls > 0 || finding.standing == Standing::RolledBack)
        one.entry.record.validation =
            Validation{finding.speedup.estimate,     finding.speedup.low,     finding.speedup.high,
                       result_.application.estimate, result_.application.low, result_.application.high,
                       finding.mep_speedup,          output_for(finding),     clock_.utc()};
      if (finding.standing == Standing::Validated) one.entry.record.status = "validated";
      if (finding.standing == Standing::Provisional) one.entry.record.status = "provisional";
      KOPT_CHECK(finding.standing == Standing::RolledBack ? reject(disk_, one.entry, finding.reason)
                                                          : update(disk_, one.entry));
    }
    return {};
  }

  [[nodiscard]] std::string output_for(const KernelFinding &finding) const {
    if (excluded_.contains(finding.slug)) return finding.reason;
    return result_.output.starts_with("not compared") ? result_.output : "same";
  }

  Disk &disk_;
  Clock &clock_;
  const Spec &spec_;
  const ValidationSettings &settings_;
  Application application_;
  std::vector<Accepted> accepted_;
  std::vector<ApplicationRun> off_;
  std::set<std::string> asked_;    // slugs
  std::set<std::string> excluded_; // slugs that are to blame for a difference
  double longest_ = 0;             // seconds of a run with variants off
  TargetFinding result_;
};

} // namespace

RunComparison compare_runs(const std::vector<ApplicationRun> &off, const ApplicationRun &on, const OutputTolerance &tolerance) {
  const Outcome &expected = off.front().outcome;
  RunComparison result;
  if (on.outcome.timed_out || on.outcome.exit_code != expected.exit_code) {
    result.difference = fmt::format("it {}, and {} with variants off", ending_of(on), ending_of(off.front()));
    result.text = *result.difference;
    return result;
  }
  std::vector<std::string> texts;
  for (const ApplicationRun &run : off) texts.push_back(run.outcome.output);
  const auto comparison = compare_outputs(texts, on.outcome.output, tolerance);
  result.comparable = comparison.comparable;
  result.text = comparison.comparable ? comparison.text : "not compared: " + comparison.text;
  if (comparison.comparable && !comparison.same) result.difference = comparison.text;
  return result;
}

Result<TargetFinding> validate(Disk &disk, Processes &processes, Clock &clock, const Spec &spec,
                               const std::vector<std::string> &kernels, const ValidationSettings &settings) {
  return TargetValidation(disk, processes, clock, spec, settings).run(kernels);
}

} // namespace kopt
