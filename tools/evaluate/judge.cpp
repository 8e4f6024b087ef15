#include "evaluate/judge.h"

#include "core/openmp.h"
#include "evaluate/hearing.h"

#include <fmt/format.h>

namespace kopt {

struct Judge::State {
  Model model;
  std::vector<Case> cases;
  fs::path baseline;
  const Disk *disk = nullptr;
  const Clock *clock = nullptr;
  JudgeSettings settings;
  ObjectFile baseline_object;
  std::unique_ptr<Oracle> oracle;
  std::optional<Arena> arena;
  std::uint64_t hearings = 0;
};

Judge::Judge(std::unique_ptr<State> state) : state_(std::move(state)) {}
Judge::~Judge() = default;

Result<std::unique_ptr<Judge>> Judge::create(const Model &model, std::vector<Case> cases, const fs::path &baseline,
                                             const Disk &disk, const Clock &clock, JudgeSettings settings) {
  if (cases.empty())
    return fail("there are no cases to judge on", model.name, "give CASES, or let `kopt capture` record the application");
  auto state = std::make_unique<State>();
  state->model = model;
  state->cases = std::move(cases);
  state->baseline = baseline;
  state->disk = &disk;
  state->clock = &clock;
  state->settings = std::move(settings);
  if (state->settings.seed == 0) state->settings.seed = secret_number();
  KOPT_TRY(bytes, disk.read(baseline));
  KOPT_TRY(object, read_object(bytes, baseline.string()));
  state->baseline_object = std::move(object);
  KOPT_TRY(oracle,
           Oracle::create(state->settings.launcher, state->model, state->cases, baseline.string(), state->settings.seed));
  state->oracle = std::move(oracle);
  KOPT_TRY(arena, Arena::create(state->model, state->cases));
  state->arena.emplace(std::move(arena));
  return std::unique_ptr<Judge>(new Judge(std::move(state)));
}

namespace {

Verdict suspect(const Suspicion &suspicion) {
  Verdict verdict;
  verdict.kind = VerdictKind::Suspect;
  verdict.reason = suspicion.reason;
  verdict.evidence = suspicion.evidence;
  return verdict;
}

Verdict invalid(const Error &error) {
  Verdict verdict;
  verdict.kind = VerdictKind::Invalid;
  verdict.reason = error.message();
  return verdict;
}

std::optional<Suspicion> inspect_texts(const Candidate &candidate, const Model &model) {
  if (auto found = inspect_text(candidate.text, model, candidate.entry)) return found;
  if (candidate.preprocessed.empty()) return std::nullopt;
  return inspect_preprocessed(candidate.preprocessed, candidate.preprocessed_name, model, candidate.entry);
}

} // namespace

Verdict Judge::judge(const Candidate &candidate, Thoroughness thoroughness) {
  const bool inspect = state_->settings.inspect;
  if (const auto found = inspect ? inspect_texts(candidate, state_->model) : std::nullopt) return suspect(*found);
  const auto bytes = state_->disk->read(candidate.object);
  if (!bytes) return invalid(bytes.error());
  const auto object = read_object(*bytes, candidate.object.string());
  if (!object) return invalid(object.error());
  if (const auto found = inspect
                             ? inspect_object(*object, state_->baseline_object, uses_openmp(state_->model.compile.arguments))
                             : std::nullopt)
    return suspect(*found);
  const Grounds grounds{state_->model,  state_->cases,    *state_->oracle,          *state_->arena,
                        *state_->clock, state_->settings, state_->baseline.string()};
  return Hearing(grounds, thoroughness, state_->settings.seed ^ ++state_->hearings).run(candidate.object.string());
}

std::string Judge::sandbox() const {
  const JudgeSettings &settings = state_->settings;
  const int landlock = state_->oracle->landlock_version();
  const std::string files = landlock > 0                     ? fmt::format("Landlock {}", landlock)
                            : settings.launcher.use_landlock ? "no Landlock here"
                                                             : "Landlock off";
  const std::string calls = state_->oracle->has_seccomp()   ? "seccomp"
                            : settings.launcher.use_seccomp ? "no seccomp here"
                                                            : "seccomp off";
  return files + ", " + calls;
}

std::vector<std::string> Judge::notes() const {
  std::vector<std::string> notes;
  int sized = 0, dropped = 0, silent = 0;
  std::string example;
  for (std::size_t k = 0; k < state_->cases.size(); ++k) {
    const CaseFacts &facts = state_->oracle->facts(static_cast<int>(k));
    const std::string &name = state_->cases[k].name;
    if (!facts.not_replayed.empty())
      notes.push_back(fmt::format("case {} is not replayed bit for bit: {}", name, facts.not_replayed));
    if (state_->cases[k].origin == "sized") {
      ++sized;
      silent += facts.dropped.empty() && !facts.unverifiable.empty();
      dropped += !facts.dropped.empty();
      if (!facts.dropped.empty()) example = fmt::format(" ({}: {})", name, facts.dropped);
      continue;
    }
    if (!facts.unverifiable.empty()) notes.push_back(fmt::format("case {} verifies nothing: {}", name, facts.unverifiable));
    if (!facts.deterministic) notes.push_back(fmt::format("case {}: two runs of the original differ", name));
    if (!facts.poison_outputs) notes.push_back(fmt::format("case {}: the original reads what it is said only to write", name));
    if (const int perturbed = facts.dropped_contents + facts.noise.dropped)
      notes.push_back(
          fmt::format("case {}: {} perturbations dropped, the original faults or gives NaN under them", name, perturbed));
  }
  if (sized > 0)
    notes.push_back(
        fmt::format("{} held-out cases at other sizes; {} dropped, the original faults or gives NaN under them{}; {} at "
                    "which the kernel leaves nothing to compare",
                    sized, dropped, example, silent));
  return notes;
}

const CaseFacts &Judge::facts(int kase) const { return state_->oracle->facts(kase); }

} // namespace kopt
