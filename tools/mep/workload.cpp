#include "mep/workload.h"

#include "core/fill.h"
#include "core/scalar.h"
#include "mep/sizing.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace kopt {
namespace {

// Whether a document of cases is for this kernel; one that names none is for every kernel.
Result<bool> concerns(const Disk &disk, const fs::path &path, const Model &model) {
  KOPT_TRY(document, read_document(disk, path, "kopt-cases", cases_version));
  return !document.contains("kernel") || document["kernel"] == model.name;
}

Result<void> append(std::vector<Case> &cases, const Disk &disk, const fs::path &path, const Model &model, std::uint64_t seed,
                    bool held_out) {
  KOPT_TRY(wanted, concerns(disk, path, model));
  if (!wanted) return {};
  KOPT_TRY(more, read_cases(disk, path, model, seed));
  for (auto &kase : more) {
    kase.held_out = kase.held_out || held_out;
    cases.push_back(std::move(kase));
  }
  return {};
}

void make_names_unique(std::vector<Case> &cases) {
  std::set<std::string> names;
  for (auto &kase : cases) {
    auto name = kase.name;
    for (int k = 2; !names.insert(kase.name).second; ++k) kase.name = fmt::format("{}-{}", name, k);
  }
}

// One kind of floating-point number in a buffer: every `stride` bytes from `start`, `count` at a time.
struct Column {
  long start, stride;
  int size, count;
};

std::vector<Column> float_columns(const Leaf &leaf, long offset) {
  const auto &element = leaf.element;
  auto usable = [](const std::string &category, int size) { return category == "float" && (size == 4 || size == 8); };
  if (element.size <= 0) return {};
  long start = offset % element.size;
  std::vector<Column> columns;
  if (usable(element.category, element.size)) columns.push_back({start, element.size, element.size, 1});
  if (element.category == "struct")
    for (const auto &field : element.fields)
      if (usable(field.category, field.size)) columns.push_back({start + field.offset, element.size, field.size, field.count});
  return columns;
}

template <typename Visit> void each_number(Bytes &bytes, const Column &column, Visit visit) {
  Element element{"", "float", column.size, true, {}};
  for (long row = column.start; row + static_cast<long>(column.size) * column.count <= static_cast<long>(bytes.size());
       row += column.stride)
    for (int k = 0; k < column.count; ++k) {
      auto *at = bytes.data() + row + static_cast<long>(k) * column.size;
      auto value = scalar_value(at, element);
      if (value && std::isfinite(std::get<double>(*value))) visit(at, std::get<double>(*value));
    }
}

void draw_anew(Bytes &bytes, const Column &column, Sequence &sequence) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  each_number(bytes, column, [&](std::uint8_t *, double value) { low = std::min(low, value), high = std::max(high, value); });
  if (!(low < high)) return; // all alike: perhaps a fact, such as zero where nothing was written
  each_number(bytes, column, [&](std::uint8_t *at, double) {
    auto fresh = scalar_from_real(low + sequence.uniform() * (high - low), column.size);
    std::copy(fresh.begin(), fresh.end(), at);
  });
}

// The leaf whose elements a buffer holds; none where leaves disagree.
const Leaf *leaf_of_buffer(const Model &model, const Case &kase, int buffer, long &offset) {
  const Leaf *found = nullptr;
  for (std::size_t k = 0; k < kase.arguments.size(); ++k) {
    if (kase.arguments[k].buffer != buffer) continue;
    const auto &leaf = model.leaves[k];
    if (found && (found->element.category != leaf.element.category || found->element.size != leaf.element.size)) return nullptr;
    if (!found) found = &leaf, offset = kase.arguments[k].offset;
  }
  return found;
}

// The timed case that counts most; there is one.
const Case &heaviest(const std::vector<Case> &cases) {
  return *std::max_element(cases.begin(), cases.end(), [](const Case &a, const Case &b) {
    return std::pair(!a.held_out, a.weight) < std::pair(!b.held_out, b.weight);
  });
}

} // namespace

fs::path captured_cases_path(const Spec &spec, const Model &model) { return spec.mep_dir(model.slug) / "cases" / "cases.json"; }

Case derived_case(const Model &model, const Case &kase, std::uint64_t seed) {
  Case derived = kase;
  derived.name += "-derived";
  derived.origin = "derived";
  derived.held_out = true;
  derived.result.reset();
  derived.left.assign(model.leaves.size(), {});
  Sequence sequence(seed ^ fill_seed(kase.name));
  for (std::size_t b = 0; b < derived.buffers.size(); ++b) {
    auto &buffer = derived.buffers[b];
    buffer.after.reset();
    long offset = 0;
    const auto *leaf = leaf_of_buffer(model, kase, static_cast<int>(b), offset);
    if (!leaf || !leaf->may_be_read()) continue;
    for (const auto &column : float_columns(*leaf, offset)) draw_anew(buffer.before, column, sequence);
  }
  return derived;
}

Result<std::vector<Case>> given_cases(const Disk &disk, const Spec &spec, const Model &model, std::uint64_t seed) {
  std::vector<Case> cases;
  if (auto captured = captured_cases_path(spec, model); disk.exists(captured))
    KOPT_CHECK(append(cases, disk, captured, model, seed, false));
  for (const auto &path : spec.cases) KOPT_CHECK(append(cases, disk, spec.directory / path, model, seed, false));
  for (const auto &path : spec.held_out) KOPT_CHECK(append(cases, disk, spec.directory / path, model, seed, true));
  make_names_unique(cases);
  return cases;
}

std::string why_no_sizes(const Model &model, const std::vector<Case> &workload, std::uint64_t seed) {
  for (const auto &kase : workload)
    if (kase.origin == "sized") return {};
  return sized_cases(model, heaviest(workload), seed).why_none;
}

Result<std::vector<Case>> load_workload(const Disk &disk, const Spec &spec, const Model &model, std::uint64_t seed) {
  KOPT_TRY(cases, given_cases(disk, spec, model, seed));
  if (cases.empty() && !spec.cases.empty())
    return fail("none of its CASES files has a case for it", model.name,
                "give at least one, in a document whose \"kernel\" is " + model.name);
  if (cases.empty())
    return fail("there are no cases to run it with", model.name, "run kopt capture, or give CASES in kopt_optimize_target()");
  auto held_out = std::count_if(cases.begin(), cases.end(), [](const Case &kase) { return kase.held_out; });
  auto given = cases.size();
  if (static_cast<std::size_t>(held_out) == given)
    return fail("every case is held out, so there is none to time", model.name,
                "leave \"held_out\" out of one, or give CASES beside HELD_OUT");
  for (std::size_t k = 0; k < given && held_out == 0; ++k) cases.push_back(derived_case(model, cases[k], seed));
  for (auto &kase : sized_cases(model, heaviest(cases), seed).cases) cases.push_back(std::move(kase));
  make_names_unique(cases);
  return cases;
}

} // namespace kopt
