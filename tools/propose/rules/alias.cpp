#include "propose/rules/alias.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

// Scalars of value parameters are the kernel's own copies.
bool is_callers_memory(const Model &model, const Leaf &leaf) {
  if (leaf.is_pointer()) return true;
  if (leaf.origin == "global") return true;
  return leaf.origin == "parameter" && leaf.parameter >= 0 &&
         model.parameters[static_cast<size_t>(leaf.parameter)].passing == "reference";
}

std::string extent_of(const Leaf &leaf) { return leaf.is_pointer() ? leaf.extent->text() : std::to_string(leaf.count); }

bool has_extent(const Leaf &leaf) { return leaf.is_pointer() ? leaf.extent.has_value() : true; }

std::string first_of(const Leaf &leaf) { return leaf.is_pointer() ? leaf.extent->first_text() : "0"; }

std::string span_of(const Leaf &leaf) { return fmt::format("{}[{} : {}]", leaf.path, first_of(leaf), extent_of(leaf)); }

} // namespace

Assumption pair_of(const std::string &one, const std::string &other) {
  return one < other ? Assumption{one, other, ""} : Assumption{other, one, ""};
}

bool Alias::types_may_alias(const Element &one, const Element &other) const {
  const auto &flags = model_.compile.arguments;
  if (std::find(flags.begin(), flags.end(), "-fno-strict-aliasing") != flags.end()) return true;
  const auto is_scalar = [](const Element &element) {
    return element.category == "integer" || element.category == "float" || element.category == "bool" ||
           element.category == "enum";
  };
  const auto is_byte = [](const Element &element) { return element.size == 1 && element.category != "bool"; };
  if (!is_scalar(one) || !is_scalar(other) || is_byte(one) || is_byte(other)) return true;
  // Signed and unsigned of one size may alias; so may int and long long where they are of one size only on paper: keep to
  // sizes.
  return one.size == other.size && (one.category == "float") == (other.category == "float");
}

Overlap Alias::overlap(const std::string &one, const std::string &other) const {
  const Leaf *first = model_.leaf(one);
  const Leaf *second = model_.leaf(other);
  if (!first || !second) return Overlap::Possible;
  if (!is_callers_memory(model_, *first) || !is_callers_memory(model_, *second)) return Overlap::Never;
  if (!types_may_alias(first->element, second->element)) return Overlap::Never;
  if (!first->is_pointer() && !second->is_pointer()) return Overlap::Never; // two named objects
  return has_extent(*first) && has_extent(*second) ? Overlap::Guarded : Overlap::Possible;
}

std::string Alias::why_possible(const std::string &one, const std::string &other) const {
  for (const std::string &path : {one, other}) {
    const Leaf *leaf = model_.leaf(path);
    if (!leaf) return fmt::format("{} and {} may overlap, and the model does not know {}", one, other, path);
    if (!has_extent(*leaf))
      return fmt::format("{} and {} may overlap: no extent is known for {}, so no guard can tell", one, other, path);
  }
  return fmt::format("{} and {} may overlap", one, other);
}

// Extents are computed for sizes that are not negative.
std::string Alias::sizes_guard(const DisjointPairs &pairs) const {
  std::set<std::string> sizes;
  for (const auto &pair : pairs)
    for (const std::string &path : {pair.one, pair.other}) {
      const Leaf *leaf = model_.leaf(path);
      if (!leaf || !leaf->extent) continue;
      for (const auto *polynomials : {&leaf->extent->first, &leaf->extent->end})
        for (const Polynomial &polynomial : *polynomials) sizes.merge(polynomial.symbols());
    }
  std::string text;
  for (const std::string &size : sizes)
    if (const Leaf *leaf = model_.leaf(size); leaf && leaf->element.is_signed)
      text += fmt::format("{}{} >= 0", text.empty() ? "require " : " and ", size);
  return text.empty() ? "" : text + "\n";
}

std::string Alias::guards(const DisjointPairs &pairs) const {
  std::string text = sizes_guard(pairs);
  for (const auto &[one, other, condition] : pairs)
    text += !condition.empty()
                ? "require " + condition + "\n"
                : fmt::format("require disjoint({}, {})\n", span_of(*model_.leaf(one)), span_of(*model_.leaf(other)));
  return text;
}

std::vector<const Leaf *> Alias::shared_scalars() const {
  std::vector<const Leaf *> shared;
  for (const Leaf &leaf : model_.leaves)
    if (!leaf.is_pointer() && leaf.origin != "result" && is_callers_memory(model_, leaf)) shared.push_back(&leaf);
  return shared;
}

} // namespace kopt
