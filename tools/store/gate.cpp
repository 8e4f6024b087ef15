#include "store/gate.h"

#include "store/application.h"
#include "store/freshness.h"
#include "store/integrate.h"
#include "store/validation.h"

#include <fmt/format.h>

namespace kopt {

namespace {

GateAnswer pass(std::string text) { return {GateOutcome::Pass, std::move(text)}; }
GateAnswer refuse(std::string text) { return {GateOutcome::Fail, std::move(text)}; }
GateAnswer skip(std::string text) { return {GateOutcome::Skip, std::move(text)}; }

tl::unexpected<GateAnswer> stop(GateAnswer answer) { return tl::make_unexpected(std::move(answer)); }

std::string with_evidence(const std::string &text, const std::string &evidence) {
  return evidence.empty() ? text : text + "\n" + evidence;
}

std::string interval_text(const Verdict &verdict) {
  if (verdict.speedup <= 0) return "";
  return fmt::format(" {:.2f}x [{:.2f}, {:.2f}]", verdict.speedup, verdict.low, verdict.high);
}

bool is_wrong(VerdictKind kind) {
  return kind == VerdictKind::Incorrect || kind == VerdictKind::Invalid || kind == VerdictKind::Suspect;
}

} // namespace

Gate::Gate(Disk &disk, Processes &processes, const Spec &spec, const std::string &kernel, GateSettings settings)
    : disk_(disk), processes_(processes), spec_(spec), kernel_(kernel), slug_(spec.slug_of(kernel)), settings_(settings) {}

tl::expected<Entry, GateAnswer> Gate::usable_entry() {
  auto entry = find_entry(disk_, spec_, slug_, host_arch());
  if (!entry) return stop(refuse(entry.error().message()));
  if (!*entry) {
    const std::string text = fmt::format("nothing is accepted for {} on {}", kernel_, host_arch());
    return stop(settings_.required ? refuse(text + ", and it is REQUIRED; run `ninja kopt-tune`") : skip(text));
  }
  Sources sources(disk_);
  if (const auto fresh = check_fresh(sources, (*entry)->record, spec_.directory); !fresh)
    return stop(refuse("stale: " + fresh.error().message()));
  return std::move(**entry);
}

tl::expected<Model, GateAnswer> Gate::model() const {
  auto model = read_model(disk_, spec_.mep_dir(slug_) / "model.json");
  if (!model)
    return stop(skip("this build folder has no MEP of the kernel, which `ninja kopt-mep` makes: " + model.error().message()));
  return std::move(*model);
}

GateAnswer Gate::fresh() {
  const auto entry = usable_entry();
  if (!entry) return entry.error();
  return pass(fmt::format("{} is as it was when its variant was accepted ({})", kernel_, entry->record.status));
}

tl::expected<Build, GateAnswer> Gate::compile(const Model &model, const std::string &text) {
  auto platform = make_platform(model.platform, disk_, processes_);
  if (!platform) return stop(refuse(platform.error().message()));
  const fs::path folder = spec_.mep_dir(slug_) / "gate";
  // The source lies elsewhere than the original, whose folder is where its #include "..." begin. Platforms leave the
  // application's own folders for these out, because a closure has no such #include.
  std::vector<std::string> extra{"-iquote",
                                 fs::path(model.sources.empty() ? model.file : model.sources.front()).parent_path().string()};
  const auto &arguments = model.compile.arguments;
  for (std::size_t k = 0; k + 1 < arguments.size(); ++k)
    if (arguments[k] == "-iquote") extra.insert(extra.end(), {arguments[k], arguments[k + 1]});
  auto build = (*platform)->build(model.compile, {text, folder / "integrated.cpp", folder / "integrated.so", extra});
  if (!build) return stop(refuse(build.error().message()));
  return std::move(*build);
}

GateAnswer Gate::build() {
  const auto entry = usable_entry();
  if (!entry) return entry.error();
  const auto known = model();
  if (!known) return known.error();
  const fs::path source = absolute_path(entry->record.source, spec_.directory);
  const auto made = integrate(disk_, std::vector<Entry>{*entry}, {{entry->path}, source, spec_.directory});
  if (!made) return refuse(made.error().message());
  if (!made->warnings.empty()) return refuse(made->warnings.front());
  const auto build = compile(*known, made->text);
  if (!build) return build.error();
  if (!build->succeeded)
    return refuse(
        with_evidence(fmt::format("{} with its variant does not compile: {}", source.string(), shell_quoted(build->command)),
                      build->diagnosis));
  return pass(fmt::format("compiles with the application's flags in {:.1f} s", build->seconds));
}

tl::expected<Verdict, GateAnswer> Gate::judge(const MakeEvaluator &make, Thoroughness thoroughness) {
  const auto entry = usable_entry();
  if (!entry) return stop(entry.error());
  const auto known = model();
  if (!known) return stop(known.error());
  const auto evaluator = make(*known);
  if (!evaluator) return stop(skip("cannot be judged here: " + evaluator.error().message()));
  auto verdict = (*evaluator)->evaluate(entry->as_variant(), thoroughness);
  if (!verdict) return stop(skip("cannot be judged here: " + verdict.error().message()));
  if (is_wrong(verdict->kind))
    return stop(refuse(with_evidence(fmt::format("{}: {}", to_string(verdict->kind), verdict->reason), verdict->evidence)));
  return std::move(*verdict);
}

GateAnswer Gate::correct(const MakeEvaluator &make) {
  const auto verdict = judge(make, Thoroughness::Untimed);
  if (!verdict) return verdict.error();
  return pass(fmt::format("computes what the original does; largest error {:.2g}", verdict->worst_error));
}

GateAnswer Gate::faster(const MakeEvaluator &make) {
  const auto verdict = judge(make, Thoroughness::Full);
  if (!verdict) return verdict.error();
  const std::string text = to_string(verdict->kind) + interval_text(*verdict);
  const std::string reason = verdict->reason.empty() ? "" : ": " + verdict->reason;
  switch (verdict->kind) {
  case VerdictKind::Faster:
    return pass(text);
  case VerdictKind::Slower:
  case VerdictKind::Same:
    return refuse(text + reason + "; run `ninja kopt-tune`, or remove the variant from the store");
  default:
    return skip(text + reason);
  }
}

GateAnswer Gate::app() {
  const auto entry = usable_entry();
  if (!entry) return entry.error();
  Application application(disk_, processes_, spec_);
  if (const auto can_run = application.check(); !can_run) return skip(can_run.error().message());
  std::vector<ApplicationRun> off;
  for (int k = 0; k < 2; ++k) {
    auto run = application.run({true, {}});
    if (!run) return refuse(run.error().message());
    if (!run->outcome.succeeded())
      return refuse(with_evidence(fmt::format("the application fails with KOPT_DISABLE=1 (exit code {}): {}",
                                              run->outcome.exit_code, shell_quoted(application.words())),
                                  run->outcome.errors));
    off.push_back(std::move(*run));
  }
  const auto on = application.run({});
  if (!on) return refuse(on.error().message());
  const auto comparison = compare_runs(off, *on, settings_.tolerance);
  if (comparison.difference) return refuse("the application's output differs with variants on: " + *comparison.difference);
  if (!comparison.comparable) return skip(comparison.text);
  const auto time = on->kernels.find(slug_);
  if (time == on->kernels.end() || time->second.variant_calls == 0)
    return skip(fmt::format("{}, but the variant of {} did not run; build the application, or see KOPT_TRACE=1",
                            comparison.text, kernel_));
  return pass(
      fmt::format("{}; the variant ran in {} of {} calls", comparison.text, time->second.variant_calls, time->second.calls));
}

} // namespace kopt
