#include "search/mep_evaluator.h"

#include "core/hash.h"
#include "core/openmp.h"
#include "evaluate/precision.h"
#include "mep/source.h"
#include "platform/platform.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace kopt {

namespace {

constexpr const char *variant_name = "variant.cpp"; // what #line calls the variant in a candidate's source

Verdict invalid(std::string reason, std::string evidence) {
  Verdict verdict;
  verdict.reason = std::move(reason);
  verdict.evidence = std::move(evidence);
  return verdict;
}

Verdict suspect(const Suspicion &suspicion) {
  Verdict verdict;
  verdict.kind = VerdictKind::Suspect;
  verdict.reason = suspicion.reason;
  verdict.evidence = suspicion.evidence;
  return verdict;
}

std::string first_error(const std::string &diagnosis) {
  const auto error = diagnosis.find("error:");
  if (error == std::string::npos) return diagnosis.substr(0, diagnosis.find('\n'));
  return diagnosis.substr(error, diagnosis.find('\n', error) - error);
}

// A full disk is not the candidate's fault.
bool lacks_room(const std::string &diagnosis) {
  constexpr std::array<int, 3> codes = {ENOSPC, EDQUOT, EFBIG};
  return std::any_of(codes.begin(), codes.end(),
                     [&](int code) { return diagnosis.find(std::strerror(code)) != std::string::npos; });
}

// What killed processes left behind: candidates carry the number of the process that judges them.
void remove_orphans(Disk &disk, const fs::path &folder) {
  for (const fs::path &file : disk.files_below(folder)) {
    const std::string number = file.stem().extension().string();
    const long process = number.size() > 1 ? std::strtol(number.c_str() + 1, nullptr, 10) : 0;
    if (process > 0 && ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) (void)disk.remove(file);
  }
}

} // namespace

JudgeSettings judge_settings(const Options &options, const fs::path &program) {
  JudgeSettings settings;
  settings.launcher.words = {program.string(), "runner"};
  settings.launcher.use_landlock = settings.launcher.use_seccomp = options.boolean("sandbox");
  if (!options.word("tolerance").empty()) settings.tolerance.relative = options.number("tolerance");
  settings.tolerance.absolute = options.number("tolerance_absolute");
  settings.min_speedup = options.number("min_speedup");
  settings.full_seconds = options.number("judge_seconds");
  return settings;
}

Result<std::unique_ptr<MepEvaluator>> MepEvaluator::create(const Outside &outside, const Spec &spec, const Model &model,
                                                           std::vector<Case> cases, const Options &options) {
  const fs::path folder = spec.mep_dir(model.slug);
  remove_orphans(outside.disk, folder / "candidates");
  std::unique_ptr<MepEvaluator> evaluator(new MepEvaluator(outside, model, folder / "candidates"));
  KOPT_TRY(platform, make_platform(model.platform, outside.disk, outside.processes));
  evaluator->platform_ = std::move(platform);
  const fs::path baseline = folder / "baseline.so";
  KOPT_TRY(built, evaluator->platform_->build(model.compile, {baseline_source(model), folder / "baseline.cpp", baseline, {}}));
  if (!built.succeeded)
    return fail("the baseline does not compile: " + first_error(built.diagnosis), model.name,
                "see the compiler's output of " + shell_quoted(built.command));
  JudgeSettings settings = judge_settings(options, outside.program);
  settings.launcher.threads = openmp_threads(model.compile.arguments);
  KOPT_TRY(judge, Judge::create(model, std::move(cases), baseline, outside.disk, outside.clock, settings));
  evaluator->judge_ = std::move(judge);
  return evaluator;
}

Result<Verdict> MepEvaluator::evaluate(const Variant &variant, Thoroughness thoroughness) {
  // Before the compiler reads it: an #include or an .incbin reaches for files by itself.
  const auto plan = Plan::parse(variant.plan, "plan.txt");
  const std::string entry = plan ? plan->call : "kopt_variant";
  if (const auto found = inspect_text(variant.text, model_, entry)) return suspect(*found);
  if (const auto feature = plan ? unguarded_feature(variant.text, *plan) : std::nullopt)
    return invalid(fmt::format("uses {} without making sure that the processor has it", *feature),
                   fmt::format("the plan needs `require cpu({})`", *feature));
  const auto source = candidate_source(model_, variant);
  if (!source) return invalid("cannot be built in: " + source.error().message(), variant.plan);
  // Two processes may judge the same candidate.
  const std::string stem = (folder_ / fmt::format("{}.{}", hash_of(*source), ::getpid())).string();
  const BuildJob job{*source, stem + ".cpp", stem + ".so", {}};
  auto verdict = judge_built(variant, entry, job, thoroughness);
  // Hundreds of candidates would fill the build folder; the journal has their texts.
  for (const fs::path &file : {job.source, job.object}) (void)outside_.disk.remove(file);
  return verdict;
}

Result<Verdict> MepEvaluator::judge_built(const Variant &variant, const std::string &entry, const BuildJob &job,
                                          Thoroughness thoroughness) {
  KOPT_TRY(built, platform_->build(model_.compile, job));
  if (!built.succeeded && lacks_room(built.diagnosis))
    return fail("a candidate could not be compiled: " + first_error(built.diagnosis), folder_.string(),
                "free some space (there, and where the compiler's temporary files are: TMPDIR) and run the same command again");
  if (!built.succeeded) return invalid("does not compile: " + first_error(built.diagnosis), built.diagnosis);

  Candidate candidate{job.object, variant.text, entry, "", variant_name};
  if (thoroughness != Thoroughness::Quick)
    if (const auto preprocessed = platform_->preprocess(model_.compile, job); preprocessed && preprocessed->build.succeeded)
      candidate.preprocessed = preprocessed->text;
  Verdict verdict = judge_->judge(candidate, thoroughness);
  verdict.precision = precision_changes(variant, model_.compile);
  return verdict;
}

} // namespace kopt
