#include "evaluate/oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace kopt {

namespace {

constexpr auto baseline_patience = std::chrono::seconds(120);
constexpr std::size_t contents_memory = 512ULL << 20; // for the images of one case
constexpr int most_contents = 4;
constexpr int flush_end = 0, flush_start = 1;

Image copy_of(const View &view) {
  Image image;
  for (const auto &bytes : view.buffers) image.buffers.emplace_back(bytes.begin(), bytes.end());
  for (const auto &bytes : view.scalars) image.scalars.emplace_back(bytes.begin(), bytes.end());
  return image;
}

// Calls f(region, index, a's bytes, b's bytes, mask) for every region that the kernel may write.
template <typename F> void for_written(const Shape &shape, const Image &a, const Image &b, Masks &masks, const F &f) {
  for (std::size_t k = 0; k < shape.buffers.size(); ++k)
    if (shape.buffers[k].written) f(shape.buffers[k], a.buffers[k], b.buffers[k], masks.buffers[k]);
  for (std::size_t k = 0; k < shape.scalars.size(); ++k)
    if (shape.scalars[k].written) f(shape.scalars[k], a.scalars[k], b.scalars[k], masks.scalars[k]);
}

// Untouched bytes of write-only regions: those that kept both poison patterns. False if the two runs differ anywhere else.
bool masks_from_poison(const Shape &shape, const Image &first, const Image &second, Masks &masks) {
  bool agree = true;
  for_written(shape, first, second, masks, [&](const Region &region, const Bytes &a, const Bytes &b, Mask &mask) {
    mask.assign(region.size, 0);
    bool any = false;
    for (std::size_t k = 0; k < region.size; ++k) {
      if (region.write_only() && a[k] == poison_patterns[0] && b[k] == poison_patterns[1]) mask[k] = 1;
      any = any || mask[k] != 0;
      if (!mask[k] && a[k] != b[k]) agree = false;
    }
    if (!any) mask.clear();
  });
  return agree;
}

bool same_bytes(const Shape &shape, const Image &a, const Image &b, Masks &masks) {
  bool same = true;
  for_written(shape, a, b, masks, [&](const Region &, const Bytes &x, const Bytes &y, const Mask &) { same = same && x == y; });
  return same;
}

template <typename T> bool any_finite_nonzero(const Region &region, const Bytes &bytes, const Mask &mask) {
  for (std::size_t at = region.origin; at + sizeof(T) <= bytes.size(); at += static_cast<std::size_t>(region.element.size)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if ((mask.empty() || !mask[at]) && std::isfinite(value) && value != 0) return true;
  }
  return false;
}

// Whether a region's output could tell a right candidate from one that does nothing or writes zeros.
bool tells_something(const Region &region, const Bytes &bytes, const Mask &mask) {
  if (region.is_float() && region.element.size == 4) return any_finite_nonzero<float>(region, bytes, mask);
  if (region.is_float() && region.element.size == 8) return any_finite_nonzero<double>(region, bytes, mask);
  if (region.is_float() && region.element.size == 16) return any_finite_nonzero<long double>(region, bytes, mask);
  for (std::size_t k = 0; k < bytes.size(); ++k)
    if (bytes[k] != 0 && (mask.empty() || !mask[k])) return true;
  return false;
}

std::string why_unverifiable(const Shape &shape, Truth &truth, Masks &masks) {
  bool changes = false, tells = false;
  for_written(shape, truth.before, truth.expected, masks,
              [&](const Region &region, const Bytes &before, const Bytes &after, const Mask &mask) {
                if (before == after && !region.write_only()) return;
                changes = changes || region.size > 0;
                tells = tells || tells_something(region, after, mask);
              });
  if (!changes) return "the kernel changes nothing that can be seen from outside";
  return tells ? "" : "its output is all zero, NaN or infinite";
}

// NaN and infinity among the floating-point elements of a region.
std::size_t odd_values(const Region &region, const Bytes &bytes, const Mask &mask) {
  std::size_t odd = 0;
  const auto size = static_cast<std::size_t>(region.element.size);
  for (std::size_t at = region.origin; region.is_float() && at + size <= bytes.size(); at += size) {
    if (!mask.empty() && mask[at]) continue;
    if (size == 4) {
      float value;
      std::memcpy(&value, bytes.data() + at, 4);
      odd += !std::isfinite(value);
    } else if (size == 8) {
      double value;
      std::memcpy(&value, bytes.data() + at, 8);
      odd += !std::isfinite(value);
    }
  }
  return odd;
}

// NaN or infinity in `after` where the reference has none; sizes and shapes are the same.
bool spoilt(const Shape &shape, const Image &reference, const Image &after, Masks &masks) {
  bool bad = false;
  for_written(shape, reference, after, masks, [&](const Region &region, const Bytes &a, const Bytes &b, const Mask &mask) {
    bad = bad || odd_values(region, b, mask) > odd_values(region, a, mask);
  });
  return bad;
}

bool gives_nan(const Shape &shape, const Image &after, Masks &masks) {
  bool bad = false;
  for_written(shape, after, after, masks, [&](const Region &region, const Bytes &bytes, const Bytes &, const Mask &mask) {
    bad = bad || odd_values(region, bytes, mask) > 0;
  });
  return bad;
}

} // namespace

Oracle::Oracle(Launcher launcher, const Model &model, const std::vector<Case> &cases, std::string baseline, std::uint64_t seed)
    : launcher_(std::move(launcher)), model_(&model), cases_(&cases), baseline_(std::move(baseline)), seed_(seed) {}

Result<std::unique_ptr<Oracle>> Oracle::create(const Launcher &launcher, const Model &model, const std::vector<Case> &cases,
                                               std::string baseline, std::uint64_t seed) {
  std::unique_ptr<Oracle> oracle(new Oracle(launcher, model, cases, std::move(baseline), seed));
  KOPT_TRY(arena, Arena::create(model, cases));
  oracle->arena_.emplace(std::move(arena));
  oracle->facts_.resize(cases.size());
  for (std::size_t k = 0; k < cases.size(); ++k) KOPT_CHECK(oracle->learn_or_drop(static_cast<int>(k)));
  return oracle;
}

Error Oracle::baseline_error(int kase, const std::string &what) const {
  return {"the original kernel " + what,
          fmt::format("{}, case {}", model_->name, (*cases_)[static_cast<std::size_t>(kase)].name),
          "correct the case's extents and values, or capture it anew"};
}

Oracle::Outcome Oracle::run(int kase, const Image &image, Run how) {
  if (!bench_) {
    auto bench = Bench::start(launcher_, *arena_, baseline_, "");
    if (!bench) return tl::make_unexpected(bench.error());
    bench_.emplace(std::move(*bench));
    landlock_version_ = bench_->landlock_version();
    has_seccomp_ = bench_->has_seccomp();
  }
  const int window = arena_->window_of(kase, how.placement);
  const std::uint8_t poison = poison_patterns[how.poison];
  arena_->fill(window, image, poison, how.poison_outputs);
  const auto call = bench_->call(protocol::Object::Baseline, window, baseline_patience, how.rounding);
  if (!call) {
    bench_.reset(); // the next run starts another child
    return tl::make_unexpected(call.error());
  }
  last_ns_ = call->claimed_ns;
  if (const auto where = arena_->disturbed_slack(window, poison))
    return tl::make_unexpected(Incident{Incident::Kind::GuardZone, protocol::Object::Baseline, "writes " + *where});
  return copy_of(arena_->view(window));
}

// A sized case was made up: where the original cannot take it, it says nothing about a candidate.
Result<void> Oracle::learn_or_drop(int kase) {
  auto learned = learn(kase);
  if ((*cases_)[static_cast<std::size_t>(kase)].origin != "sized") return learned;
  CaseFacts &facts = facts_[static_cast<std::size_t>(kase)];
  if (!learned)
    facts.dropped = learned.error().what;
  else if (gives_nan(facts.shape, truths_.at({kase, 0}).expected, facts.untouched))
    facts.dropped = "the original kernel gives NaN or infinity";
  return {};
}

// Captures hold what the application computed. The baseline must give the same bits: it is the same code, on the same contents.
void Oracle::check_replay(int kase, const Truth &truth) {
  CaseFacts &facts = facts_[static_cast<std::size_t>(kase)];
  const Case &given = (*cases_)[static_cast<std::size_t>(kase)];
  const auto differ = [&](const Region &region, const Bytes &recorded, const Bytes &replayed, const Mask &mask) {
    for (std::size_t at = 0; at < std::min(recorded.size(), replayed.size()) && facts.not_replayed.empty(); ++at)
      if (recorded[at] != replayed[at] && (mask.empty() || !mask[at]))
        facts.not_replayed = fmt::format("{}: the application computed {}, the replay {}", region.spell(at),
                                         region.value_text(recorded, at), region.value_text(replayed, at));
  };
  for (std::size_t k = 0; k < given.buffers.size(); ++k)
    if (given.buffers[k].after)
      differ(facts.shape.buffers[k], *given.buffers[k].after, truth.expected.buffers[k], facts.untouched.buffers[k]);
  for (std::size_t k = 0; k < given.left.size() && k < facts.shape.scalars.size(); ++k)
    differ(facts.shape.scalars[k], given.left[k], truth.expected.scalars[k], facts.untouched.scalars[k]);
  for (std::size_t k = 0; given.result && k < facts.shape.scalars.size(); ++k)
    if (model_->leaves[k].origin == "result") differ(facts.shape.scalars[k], *given.result, truth.expected.scalars[k], {});
}

Result<void> Oracle::learn(int kase) {
  CaseFacts &facts = facts_[static_cast<std::size_t>(kase)];
  const Case &given = (*cases_)[static_cast<std::size_t>(kase)];
  facts.shape = shape_of(*model_, given);
  facts.untouched.buffers.resize(facts.shape.buffers.size());
  facts.untouched.scalars.resize(facts.shape.scalars.size());
  facts.noise.buffers.resize(facts.shape.buffers.size());
  facts.noise.scalars.resize(facts.shape.scalars.size());
  Truth own{image_of(*model_, given), {}};
  KOPT_CHECK(learn_outputs(kase, own));
  check_replay(kase, own);
  facts.unverifiable = why_unverifiable(facts.shape, own, facts.untouched);
  const Truth &first = truths_[{kase, 0}] = std::move(own);
  learn_noise(kase, first);
  if (contents_count(kase) < 2) return {};
  KOPT_TRY(second, truth(kase, 1));
  learn_masks(kase, first, *second);
  add_noise(kase, *second, run(kase, second->before, {flush_end, 0, facts.poison_outputs, FE_UPWARD}));
  return {};
}

// The expected output, from runs in both flush placements and with both poisons.
Result<void> Oracle::learn_outputs(int kase, Truth &truth) {
  CaseFacts &facts = facts_[static_cast<std::size_t>(kase)];
  for (const bool poison_outputs : {true, false}) {
    facts.poison_outputs = poison_outputs;
    Outcome first = run(kase, truth.before, {flush_end, 0, poison_outputs});
    if (!first) return tl::make_unexpected(baseline_error(kase, first.error().text));
    const Outcome second = run(kase, truth.before, {flush_start, 1, poison_outputs});
    if (!second) return tl::make_unexpected(baseline_error(kase, second.error().text));
    facts.baseline_ns = last_ns_;
    const bool agree = masks_from_poison(facts.shape, *first, *second, facts.untouched);
    const Outcome again = run(kase, truth.before, {flush_end, 0, poison_outputs});
    facts.deterministic = again && same_bytes(facts.shape, *first, *again, facts.untouched);
    if (again) facts.baseline_ns = std::min(facts.baseline_ns, last_ns_);
    truth.expected = std::move(*first);
    if (agree || !facts.deterministic) break;
  }
  if (!facts.poison_outputs) { // without poison nothing tells written from untouched
    for (Mask &mask : facts.untouched.buffers) mask.clear();
    for (Mask &mask : facts.untouched.scalars) mask.clear();
  }
  return {};
}

void Oracle::learn_noise(int kase, const Truth &truth) {
  const CaseFacts &facts = facts_[static_cast<std::size_t>(kase)];
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO})
    add_noise(kase, truth, run(kase, truth.before, {flush_end, 0, facts.poison_outputs, rounding}));
  add_noise(kase, truth, run(kase, nudged(facts.shape, truth.before, seed_ ^ 0x6e), {flush_end, 0, facts.poison_outputs}));
}

void Oracle::add_noise(int kase, const Truth &truth, const Outcome &other) {
  CaseFacts &facts = facts_[static_cast<std::size_t>(kase)];
  if (!other) {
    ++facts.noise.dropped;
    return;
  }
  Noise found = facts.noise;
  bool usable = true;
  const auto add = [&](const auto &regions, const auto &expected, const auto &got, const auto &masks, auto &noise) {
    for (std::size_t k = 0; k < regions.size(); ++k) {
      if (!regions[k].written) continue;
      const double error = region_error(regions[k], expected[k], got[k], masks[k]);
      usable = usable && std::isfinite(error);
      noise[k] = std::max(noise[k], error);
    }
  };
  add(facts.shape.buffers, truth.expected.buffers, other->buffers, facts.untouched.buffers, found.buffers);
  add(facts.shape.scalars, truth.expected.scalars, other->scalars, facts.untouched.scalars, found.scalars);
  if (usable)
    facts.noise = std::move(found);
  else
    ++facts.noise.dropped;
}

// In regions that are read and written: elements that kept their value although the two contents gave them different ones.
void Oracle::learn_masks(int kase, const Truth &first, const Truth &second) {
  CaseFacts &facts = facts_[static_cast<std::size_t>(kase)];
  for (std::size_t k = 0; k < facts.shape.buffers.size(); ++k) {
    const Region &region = facts.shape.buffers[k];
    if (!region.written || !region.read || !region.element.fields.empty()) continue;
    const auto size = static_cast<std::size_t>(std::max(region.element.size, 1));
    Mask mask(region.size, 0);
    bool any = false;
    for (std::size_t at = region.origin; at + size <= region.size; at += size) {
      const auto same = [&](const Image &a, const Image &b) {
        return std::memcmp(a.buffers[k].data() + at, b.buffers[k].data() + at, size) == 0;
      };
      if (!same(first.before, first.expected) || !same(second.before, second.expected) || same(first.before, second.before))
        continue;
      std::fill_n(mask.begin() + static_cast<std::ptrdiff_t>(at), size, 1);
      any = true;
    }
    if (any) facts.untouched.buffers[k] = std::move(mask);
  }
}

int Oracle::contents_count(int kase) const {
  std::size_t bytes = 1;
  for (const Region &region : facts(kase).shape.buffers) bytes += 2 * region.size;
  return static_cast<int>(std::clamp<std::size_t>(contents_memory / bytes, 1, most_contents));
}

std::optional<Truth> Oracle::perturbed_truth(int kase, int contents) {
  CaseFacts &facts = facts_[static_cast<std::size_t>(kase)];
  const Truth &own = truths_.at({kase, 0});
  for (const double amplitude : {0.125, 0x1p-10}) {
    const std::uint64_t seed = seed_ * 1000003 + static_cast<std::uint64_t>(kase) * 101 + static_cast<std::uint64_t>(contents);
    Image before = perturbed(facts.shape, own.before, amplitude, seed);
    Outcome after = run(kase, before, {flush_end, 0, facts.poison_outputs});
    if (after && !spoilt(facts.shape, own.expected, *after, facts.untouched))
      return Truth{std::move(before), std::move(*after)};
    ++facts.dropped_contents;
  }
  return std::nullopt;
}

Result<const Truth *> Oracle::truth(int kase, int contents) {
  if (const auto found = truths_.find({kase, contents}); found != truths_.end()) return &found->second;
  auto found = perturbed_truth(kase, contents);
  return &(truths_[{kase, contents}] = found ? std::move(*found) : truths_.at({kase, 0}));
}

Result<std::vector<double>> Oracle::time_alone(int kase, int placement, int calls) {
  std::vector<double> times;
  for (int k = 0; k < calls; ++k) {
    const Outcome outcome = run(kase, truths_.at({kase, 0}).before, {placement, 0, facts(kase).poison_outputs});
    if (!outcome) return tl::make_unexpected(baseline_error(kase, outcome.error().text));
    times.push_back(last_ns_);
  }
  return times;
}

} // namespace kopt
