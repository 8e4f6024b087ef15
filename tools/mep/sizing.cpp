#include "mep/sizing.h"

#include "core/fill.h"
#include "core/scalar.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>

namespace kopt {
namespace {

constexpr std::int64_t most_bytes = 64 << 20;   // of one sized case
constexpr std::int64_t untimed_bytes = 8 << 20; // of one near the size of a case whose time is not known
constexpr double most_nanoseconds = 1e8;        // that the original may be expected to take
constexpr std::int64_t small_sizes[] = {1, 2, 3, 7, 13, 31, 67};

template <typename Visit> void each_node(const std::vector<Node> &nodes, const Visit &visit) {
  for (const auto &node : nodes) {
    visit(node);
    each_node(node.body, visit);
    each_node(node.otherwise, visit);
  }
}

bool is_used(const Leaf &leaf) { return leaf.is_pointer() && leaf.access != "none"; }

std::optional<std::string> unknown_extent(const Model &model) {
  for (const auto &leaf : model.leaves)
    if (is_used(leaf) && !leaf.extent)
      return fmt::format("how far the kernel goes through '{}' is not known, as where index arrays lead", leaf.path);
  return std::nullopt;
}

// Symbols of extents and of loop bounds that are leaves.
std::set<std::string> size_symbols(const Model &model) {
  std::set<std::string> symbols;
  const auto add = [&](const std::optional<Polynomial> &polynomial) {
    if (polynomial)
      for (const auto &symbol : polynomial->symbols())
        if (model.leaf(symbol) != nullptr) symbols.insert(symbol);
  };
  for (const auto &leaf : model.leaves) {
    if (!is_used(leaf)) continue;
    for (const auto &bound : leaf.extent->first) add(bound);
    for (const auto &bound : leaf.extent->end) add(bound);
  }
  each_node(model.body, [&](const Node &node) {
    if (node.kind != Node::Kind::Loop) return;
    add(node.lower.polynomial);
    add(node.upper.polynomial);
  });
  return symbols;
}

// Arrays of a fixed size could be outgrown: local ones, those inside structs and globals, and rows of several dimensions.
bool has_fixed_arrays(const Model &model) {
  bool found = false;
  each_node(model.body, [&](const Node &node) {
    for (const auto &access : node.accesses) {
      const auto *leaf = model.leaf(access.leaf);
      found = found || !access.local.empty() || access.subscripts.size() > 1 ||
              (leaf && (leaf->is_array() || (!leaf->is_pointer() && leaf->count > 1)));
    }
  });
  return found;
}

bool is_plain_integer(const Leaf &leaf) {
  return !leaf.is_pointer() && leaf.count == 1 && leaf.element.category == "integer" && leaf.access == "read";
}

// One size: which values the size scalars get.
struct Size {
  std::string name;
  std::int64_t greatest; // what the greatest scalar becomes
  bool skewed = false;   // equal scalars grow apart, in the order of the leaves
};

class Sizer {
public:
  Sizer(const Model &model, const Case &base, const Sizing &sizing, std::uint64_t seed)
      : model_(model), base_(base), sizing_(sizing), seed_(seed) {
    for (const auto k : sizing.scalars) {
      const auto value = integer(k);
      if (value) values_[k] = *value;
    }
    for (const auto &[k, value] : values_) greatest_ = std::max(greatest_, value);
  }

  SizedCases run() {
    if (greatest_ < 1) return {{}, "its sizes are not positive in case " + base_.name};
    if (auto overlap = overlapping(); !overlap.empty()) return {{}, overlap};
    SizedCases sized;
    std::set<std::map<std::size_t, std::int64_t>> seen{values_};
    for (const auto &size : sizes()) {
      const auto values = scaled(size);
      if (!seen.insert(values).second || !is_affordable(size)) continue;
      if (auto kase = make(size, values)) sized.cases.push_back(std::move(*kase));
    }
    if (sized.cases.empty()) sized.why_none = "no other size is small enough";
    return sized;
  }

private:
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t k) const {
    const auto value = scalar_lookup(model_, base_)(model_.leaves[k].path);
    if (!value || !std::holds_alternative<std::int64_t>(*value)) return std::nullopt;
    return std::get<std::int64_t>(*value);
  }

  [[nodiscard]] std::vector<Size> sizes() const {
    std::vector<Size> list;
    for (const auto size : small_sizes)
      if (size < greatest_ || sizing_.may_grow) list.push_back({std::to_string(size), size});
    if (greatest_ > 13) list.push_back({"13-skewed", 13, true});
    if (greatest_ > 1) list.push_back({"one-less", greatest_ - 1});
    if (!sizing_.may_grow) return list;
    list.push_back({"one-more", greatest_ + 1});
    list.push_back({"larger", greatest_ + greatest_ / 4 + 3});
    return list;
  }

  [[nodiscard]] std::map<std::size_t, std::int64_t> scaled(const Size &size) const {
    constexpr std::int64_t little = 4, close = 8;
    std::map<std::size_t, std::int64_t> values;
    std::map<std::int64_t, std::int64_t> met; // how often a value came before
    for (const auto &[k, value] : values_) {
      auto &now = values[k];
      const bool stays = value < 1 || (value <= little && greatest_ >= 4 * little);
      if (stays)
        now = value;
      else if (greatest_ - value <= close)
        now = std::max<std::int64_t>(1, size.greatest - (greatest_ - value));
      else
        now = std::max<std::int64_t>(1,
                                     static_cast<std::int64_t>(static_cast<double>(value) * static_cast<double>(size.greatest) /
                                                               static_cast<double>(greatest_)));
      if (size.skewed && !stays) now += met[value]++;
    }
    return values;
  }

  // Whether the original will not take too long. Time is taken to grow with the square of the size.
  [[nodiscard]] bool is_affordable(const Size &size) const {
    const double ratio = static_cast<double>(size.greatest) / static_cast<double>(greatest_);
    if (base_.nanoseconds > 0) return base_.nanoseconds * ratio * ratio < most_nanoseconds;
    std::size_t bytes = 0;
    for (const auto &buffer : base_.buffers) bytes += buffer.before.size();
    return static_cast<double>(bytes) * ratio * ratio < static_cast<double>(untimed_bytes);
  }

  struct Reach { // bytes that the kernel may touch ahead of a pointer and from it on
    std::int64_t ahead = 0, behind = 0;
  };

  // Through a leaf, with these values of the size scalars; nothing where that cannot be told.
  [[nodiscard]] std::optional<Reach> reach(const std::map<std::size_t, std::int64_t> &values, std::size_t k) const {
    const auto &leaf = model_.leaves[k];
    if (!is_used(leaf)) return Reach{};
    const auto lookup = [&](const std::string &path) -> std::optional<Value> {
      for (const auto &[scalar, value] : values)
        if (model_.leaves[scalar].path == path) return Value(value);
      return scalar_lookup(model_, base_)(path);
    };
    const auto extent = evaluate_extent(*leaf.extent, lookup);
    if (!extent || extent->end > most_bytes || extent->first < -most_bytes) return std::nullopt;
    const std::int64_t size = std::max(leaf.element.size, 1);
    return Reach{std::max<std::int64_t>(-extent->first, 0) * size, std::max<std::int64_t>(extent->end, 0) * size};
  }

  // Leaves that lead into one buffer at different places, and through each other's elements, have a relation that another size
  // would not keep.
  [[nodiscard]] std::string overlapping() const {
    for (std::size_t a = 0; a < base_.arguments.size(); ++a)
      for (std::size_t b = a + 1; b < base_.arguments.size(); ++b) {
        const auto &first = base_.arguments[a], &second = base_.arguments[b];
        if (!first.buffer || first.buffer != second.buffer || first.offset == second.offset) continue;
        const auto reach_a = reach(values_, a), reach_b = reach(values_, b);
        const auto ends_before = [](const Argument &one, const Reach &of_one, const Argument &other, const Reach &of_other) {
          return one.offset + of_one.behind <= other.offset - of_other.ahead;
        };
        if (reach_a && reach_b &&
            (ends_before(first, *reach_a, second, *reach_b) || ends_before(second, *reach_b, first, *reach_a)))
          continue;
        return fmt::format("'{}' and '{}' overlap in case {}", model_.leaves[a].path, model_.leaves[b].path, base_.name);
      }
    return {};
  }

  // The same pointers stay the same; others get buffers of their own.
  std::optional<Case> make(const Size &size, const std::map<std::size_t, std::int64_t> &values) const {
    Case kase;
    kase.name = base_.name + "-sized-" + size.name;
    kase.weight = base_.weight;
    kase.origin = "sized";
    kase.held_out = true;
    kase.arguments = base_.arguments;
    kase.left.assign(model_.leaves.size(), {});
    for (const auto &[k, value] : values) {
      auto bytes = scalar_from_integer(value, model_.leaves[k].element);
      if (!bytes) return std::nullopt;
      kase.arguments[k].bytes = std::move(*bytes);
    }
    std::map<std::pair<int, long>, int> buffers; // by buffer and offset of the base
    const auto margins = margins_of(values);
    std::int64_t total = 0;
    Sequence sequence(seed_ ^ fill_seed(kase.name));
    for (std::size_t k = 0; k < kase.arguments.size(); ++k) {
      auto &argument = kase.arguments[k];
      if (!argument.buffer) continue;
      const auto bytes = reach(values, k);
      if (!bytes || (total += bytes->ahead + bytes->behind) > most_bytes) return std::nullopt;
      const auto [found, is_new] =
          buffers.emplace(std::pair(*argument.buffer, argument.offset), static_cast<int>(kase.buffers.size()));
      if (is_new) kase.buffers.emplace_back();
      auto &contents = kase.buffers[static_cast<std::size_t>(found->second)].before;
      const auto margin = margins.at({*argument.buffer, argument.offset});
      const auto wanted = static_cast<std::size_t>(margin + bytes->behind);
      if (contents.size() < wanted) contents = draw(k, margin, wanted, sequence);
      argument.buffer = found->second;
      argument.offset = margin;
    }
    return kase;
  }

  // Bytes ahead of each place that pointers lead to, for negative subscripts.
  [[nodiscard]] std::map<std::pair<int, long>, long> margins_of(const std::map<std::size_t, std::int64_t> &values) const {
    std::map<std::pair<int, long>, long> margins;
    for (std::size_t k = 0; k < base_.arguments.size(); ++k) {
      const auto &argument = base_.arguments[k];
      if (!argument.buffer) continue;
      auto &margin = margins[{*argument.buffer, argument.offset}];
      if (const auto bytes = reach(values, k)) margin = std::max(margin, static_cast<long>(bytes->ahead));
    }
    return margins;
  }

  [[nodiscard]] Bytes draw(std::size_t k, long margin, std::size_t size, Sequence &sequence) const {
    const auto &argument = base_.arguments[k];
    const auto &from = base_.buffers[static_cast<std::size_t>(*argument.buffer)].before;
    const auto &element = model_.leaves[k].element;
    const auto step = static_cast<std::size_t>(std::max(element.size, 1));
    const auto begin = static_cast<std::size_t>(std::max(argument.offset - margin, argument.offset % static_cast<long>(step)));
    const std::size_t count = from.size() > begin ? (from.size() - begin) / step : 0;
    Bytes contents(size);
    if (count == 0) return contents;
    for (std::size_t at = 0; at + step <= size; at += step) {
      const auto pick = std::min(static_cast<std::size_t>(sequence.uniform() * static_cast<double>(count)), count - 1);
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(begin + pick * step), step,
                  contents.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (element.category == "float" && (step == 4 || step == 8)) draw_floats(from, begin, step, contents, sequence);
    return contents;
  }

  // Between the least and the greatest that the base has.
  static void draw_floats(const Bytes &from, std::size_t begin, std::size_t step, Bytes &contents, Sequence &sequence) {
    const Element element{"", "float", static_cast<int>(step), true, {}};
    double low = 0, high = 0;
    bool any = false;
    for (std::size_t at = begin; at + step <= from.size(); at += step) {
      const double value = std::get<double>(*scalar_value(from.data() + at, element));
      if (!std::isfinite(value)) continue;
      low = any ? std::min(low, value) : value;
      high = any ? std::max(high, value) : value;
      any = true;
    }
    if (!(low < high)) return;
    for (std::size_t at = 0; at + step <= contents.size(); at += step) {
      const auto bytes = scalar_from_real(low + sequence.uniform() * (high - low), static_cast<int>(step));
      std::copy(bytes.begin(), bytes.end(), contents.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  const Model &model_;
  const Case &base_;
  const Sizing &sizing_;
  std::uint64_t seed_;
  std::map<std::size_t, std::int64_t> values_; // of the size scalars in the base, by leaf
  std::int64_t greatest_ = 0;
};

} // namespace

Sizing sizing_of(const Model &model) {
  Sizing sizing;
  if (auto unknown = unknown_extent(model)) {
    sizing.why_fixed = *unknown;
    return sizing;
  }
  const auto symbols = size_symbols(model);
  for (std::size_t k = 0; k < model.leaves.size(); ++k) {
    const auto &leaf = model.leaves[k];
    if (!symbols.contains(leaf.path)) continue;
    if (!is_plain_integer(leaf)) {
      sizing.why_fixed = fmt::format("'{}', which its size depends on, is no integer that is only read", leaf.path);
      return sizing;
    }
    sizing.scalars.push_back(k);
  }
  if (sizing.scalars.empty()) sizing.why_fixed = "its size depends on no argument";
  sizing.may_grow = !has_fixed_arrays(model);
  return sizing;
}

SizedCases sized_cases(const Model &model, const Case &base, std::uint64_t seed) {
  const auto sizing = sizing_of(model);
  if (!sizing.why_fixed.empty()) return {{}, sizing.why_fixed};
  return Sizer(model, base, sizing, seed).run();
}

} // namespace kopt
