#include "propose/rules/delinearize.h"

#include "propose/rules/affine.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

namespace {

using Monomial = Polynomial::Monomial; // sorted

bool divides(const Monomial &part, const Monomial &whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

Monomial quotient(const Monomial &whole, const Monomial &part) {
  Monomial rest;
  std::set_difference(whole.begin(), whole.end(), part.begin(), part.end(), std::back_inserter(rest));
  return rest;
}

Monomial without(const Monomial &monomial, const std::set<std::string> &loop_variables) {
  Monomial rest;
  for (const std::string &symbol : monomial)
    if (!loop_variables.contains(symbol)) rest.push_back(symbol);
  return rest;
}

Polynomial product_of(const Monomial &monomial) {
  Polynomial product(1);
  for (const std::string &symbol : monomial) product = product * Polynomial::symbol(symbol);
  return product;
}

std::set<std::string> variables_of(const Place &place) {
  std::set<std::string> variables;
  for (const Node *loop : place.loops) variables.insert(loop->variable);
  return variables;
}

struct Use {
  const Place *place;
  const Access *access;
};

// Whether the inner subscripts stay within [0, stride of the next dimension / own stride) wherever the access runs.
bool stays_inside(const Subscripts &subscripts, const std::vector<Monomial> &strides, const Place &place,
                  const std::vector<Polynomial> &context, Integers &integers) {
  const Affine::Variables names = name_variables(place, "i");
  for (size_t k = 1; k < subscripts.size(); ++k) {
    const Polynomial &subscript = subscripts[k];
    const size_t level = subscripts.size() - 1 - k; // strides count from the innermost
    const Polynomial size = product_of(quotient(strides[level + 1], strides[level]));
    Affine affine;
    const auto below = affine.spell(subscript, names);
    const auto beyond = affine.spell(subscript - size, names);
    if (!below || !beyond) return false;
    const std::string where = affine.spell_domain(place, names) + " and " + affine.spell_constraints(context, names);
    const auto empty = integers.is_empty(fmt::format("{}{{ [{}] : {} and (({}) < 0 or ({}) >= 0) }}", affine.parameters(),
                                                     tuple_of(place, "i"), where, *below, *beyond));
    if (!empty || !*empty) return false;
  }
  return true;
}

// A subscript at the end of its loops' ranges where it is lowest or highest; nothing where that end depends on more than sizes.
std::optional<Polynomial> at_end(Polynomial subscript, bool highest, const Place &place, const std::set<std::string> &sizes) {
  for (auto at = place.loops.rbegin(); at != place.loops.rend(); ++at) {
    const Node &loop = **at;
    if (!subscript.uses(loop.variable)) continue;
    const Polynomial slope = subscript.coefficient_of(loop.variable);
    if (!slope.is_constant() || subscript.degree_in(loop.variable) > 1) return std::nullopt;
    const bool last = (slope.constant() > 0) == highest;
    const Bound &bound = last ? loop.upper : loop.lower;
    if (!bound.polynomial) return std::nullopt;
    subscript = subscript.substitute(loop.variable, last ? *bound.polynomial - Polynomial(1) : *bound.polynomial);
  }
  for (const std::string &symbol : subscript.symbols())
    if (!sizes.contains(symbol)) return std::nullopt;
  return subscript;
}

// Polynomials over sizes that are >= 0 only where the inner subscripts stay within their dimensions.
std::optional<std::set<Polynomial>> conditions_to_stay_inside(const Subscripts &subscripts,
                                                              const std::vector<Monomial> &strides, const Place &place,
                                                              const std::set<std::string> &sizes) {
  std::set<Polynomial> conditions;
  for (size_t k = 1; k < subscripts.size(); ++k) {
    const size_t level = subscripts.size() - 1 - k;
    const auto low = at_end(subscripts[k], false, place, sizes), high = at_end(subscripts[k], true, place, sizes);
    if (!low || !high) return std::nullopt;
    const Polynomial size = product_of(quotient(strides[level + 1], strides[level]));
    for (const Polynomial &condition : {*low, size - *high - Polynomial(1)}) {
      if (!condition.is_constant())
        conditions.insert(condition);
      else if (condition.constant() < 0)
        return std::nullopt;
    }
  }
  return conditions;
}

bool is_single(const Access &access) { return access.subscripts.size() == 1 && access.subscripts.front(); }

std::optional<Subscripts> as_written(const Access &access) {
  Subscripts subscripts;
  for (const auto &subscript : access.subscripts) {
    if (!subscript) return std::nullopt;
    subscripts.push_back(*subscript);
  }
  return subscripts;
}

} // namespace

std::optional<std::vector<Monomial>> strides_of(const std::vector<Polynomial> &subscripts,
                                                const std::set<std::string> &loop_variables) {
  std::set<Monomial> found{{}};
  for (const Polynomial &subscript : subscripts)
    for (const auto &[monomial, coefficient] : subscript.terms()) {
      const Monomial stride = without(monomial, loop_variables);
      const size_t variables = monomial.size() - stride.size();
      if (variables > 1) return std::nullopt;
      if (variables == 1) found.insert(stride);
    }
  std::vector<Monomial> strides(found.begin(), found.end());
  std::stable_sort(strides.begin(), strides.end(), [](const Monomial &a, const Monomial &b) { return a.size() < b.size(); });
  for (size_t k = 1; k < strides.size(); ++k)
    if (!divides(strides[k - 1], strides[k]) || strides[k - 1].size() == strides[k].size()) return std::nullopt;
  return strides;
}

Subscripts split_along(const Polynomial &subscript, const std::vector<Monomial> &strides,
                       const std::set<std::string> &loop_variables) {
  Subscripts parts(strides.size());
  for (const auto &[monomial, coefficient] : subscript.terms()) {
    const Monomial symbols = without(monomial, loop_variables);
    size_t level = strides.size() - 1;
    while (!divides(strides[level], symbols)) --level; // ends at the empty stride
    Polynomial &part = parts[strides.size() - 1 - level];
    part = part + Polynomial(coefficient) * product_of(quotient(monomial, strides[level]));
  }
  return parts;
}

Delinearization::Delinearization(const Nodes &nodes, const std::vector<Polynomial> &context, Integers &integers,
                                 const std::set<std::string> &sizes) {
  const std::vector<Place> places = places_in(nodes);
  std::set<std::string> loop_variables;
  std::map<std::string, std::vector<Use>> families;
  for (const Place &place : places) {
    loop_variables.merge(variables_of(place));
    for (const Access &access : place.node->accesses) {
      recovered_[&access] = as_written(access);
      if (is_single(access)) families[access.leaf + "|" + access.local].push_back({&place, &access});
    }
  }
  for (const auto &[name, uses] : families) {
    std::vector<Polynomial> subscripts;
    for (const Use &use : uses) subscripts.push_back(*use.access->subscripts.front());
    const auto strides = strides_of(subscripts, loop_variables);
    if (strides && strides->size() == 1) continue; // affine as written
    for (const Use &use : uses) {
      std::optional<Subscripts> &result = recovered_[use.access];
      result.reset();
      if (!strides) continue;
      const Subscripts split = split_along(*use.access->subscripts.front(), *strides, loop_variables);
      if (stays_inside(split, *strides, *use.place, context, integers)) {
        result = split;
      } else if (const auto conditions = conditions_to_stay_inside(split, *strides, *use.place, sizes)) {
        required_.insert(conditions->begin(), conditions->end());
        result = split;
      }
    }
  }
}

const std::optional<Subscripts> &Delinearization::subscripts(const Access &access) const {
  static const std::optional<Subscripts> anything;
  const auto found = recovered_.find(&access);
  return found == recovered_.end() ? anything : found->second;
}

} // namespace kopt
