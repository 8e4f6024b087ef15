#include "propose/rules/affine.h"

#include <algorithm>
#include <fmt/format.h>

namespace kopt {

std::optional<std::string> Affine::spell(const Polynomial &polynomial, const Variables &variables) {
  std::string text;
  for (const auto &[monomial, coefficient] : polynomial.terms()) {
    const std::string sign = text.empty() ? "" : " + ";
    if (monomial.empty()) {
      text += sign + std::to_string(coefficient);
      continue;
    }
    int loop_variables = 0;
    for (const std::string &symbol : monomial) loop_variables += variables.contains(symbol) ? 1 : 0;
    if (loop_variables > 0 && monomial.size() > 1) return std::nullopt;
    std::string name;
    if (loop_variables == 1) {
      name = variables.at(monomial.front());
    } else {
      name = parameters_.try_emplace(monomial, "p" + std::to_string(parameters_.size())).first->second;
    }
    text += fmt::format("{}{}*{}", sign, coefficient, name);
  }
  return text.empty() ? "0" : text;
}

std::string Affine::spell_constraints(const std::vector<Polynomial> &constraints, const Variables &variables) {
  std::string text = "true";
  for (const Polynomial &constraint : constraints)
    if (auto spelled = spell(constraint, variables)) text += " and " + *spelled + " >= 0";
  return text;
}

std::string Affine::spell_domain(const Place &place, const Variables &variables) {
  std::string text = spell_constraints(place.constraints, variables);
  for (const Node *loop : place.loops) {
    text += " and " + spell_constraints(bounds_of(*loop), variables);
    // A downward loop's first value decides which values follow; leaving the step out keeps all.
    if (loop->step == 1 || loop->reverse || !loop->lower.polynomial) continue;
    if (auto offset = spell(Polynomial::symbol(loop->variable) - *loop->lower.polynomial, variables))
      text += fmt::format(" and ({}) mod {} = 0", *offset, loop->step);
  }
  return text;
}

std::string Affine::spell_products(const std::function<bool(const std::string &factor)> &is_never_negative) const {
  std::string text;
  for (const auto &[monomial, name] : parameters_)
    if (monomial.size() > 1 && std::all_of(monomial.begin(), monomial.end(), is_never_negative))
      text += " and " + name + " >= 0";
  return text;
}

std::string Affine::parameters() const {
  std::string names;
  for (const auto &[monomial, name] : parameters_) names += (names.empty() ? "" : ", ") + name;
  return "[" + names + "] -> ";
}

Affine::Variables name_variables(const Place &place, const std::string &prefix) {
  Affine::Variables names;
  for (size_t i = 0; i < place.loops.size(); ++i) names[place.loops[i]->variable] = prefix + std::to_string(i);
  return names;
}

std::string tuple_of(const Place &place, const std::string &prefix) {
  std::string names;
  for (size_t i = 0; i < place.loops.size(); ++i) names += (i ? ", " : "") + prefix + std::to_string(i);
  return names;
}

} // namespace kopt
