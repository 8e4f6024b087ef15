#include "core/polynomial.h"

#include <algorithm>

namespace kopt {

Polynomial::Polynomial(std::int64_t constant) { add({}, constant); }

Polynomial Polynomial::symbol(std::string name) {
  Polynomial result;
  result.add({std::move(name)}, 1);
  return result;
}

void Polynomial::add(const Monomial &monomial, std::int64_t coefficient) {
  if (coefficient == 0) return;
  const auto [term, inserted] = terms_.try_emplace(monomial, coefficient);
  if (inserted) return;
  term->second += coefficient;
  if (term->second == 0) terms_.erase(term);
}

bool Polynomial::is_constant() const { return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first.empty()); }

std::int64_t Polynomial::constant() const {
  const auto term = terms_.find({});
  return term == terms_.end() ? 0 : term->second;
}

std::set<std::string> Polynomial::symbols() const {
  std::set<std::string> names;
  for (const auto &[monomial, coefficient] : terms_) names.insert(monomial.begin(), monomial.end());
  return names;
}

bool Polynomial::uses(const std::string &symbol) const { return degree_in(symbol) > 0; }

int Polynomial::degree_in(const std::string &symbol) const {
  int degree = 0;
  for (const auto &[monomial, coefficient] : terms_)
    degree = std::max(degree, static_cast<int>(std::count(monomial.begin(), monomial.end(), symbol)));
  return degree;
}

Polynomial Polynomial::coefficient_of(const std::string &symbol) const {
  Polynomial result;
  for (const auto &[monomial, coefficient] : terms_) {
    if (std::count(monomial.begin(), monomial.end(), symbol) != 1) continue;
    Monomial rest = monomial;
    rest.erase(std::find(rest.begin(), rest.end(), symbol));
    result.add(rest, coefficient);
  }
  return result;
}

Polynomial Polynomial::substitute(const std::string &symbol, const Polynomial &value) const {
  Polynomial result;
  for (const auto &[monomial, coefficient] : terms_) {
    Polynomial product(coefficient);
    for (const std::string &factor : monomial) product = product * (factor == symbol ? value : Polynomial::symbol(factor));
    result = result + product;
  }
  return result;
}

std::string Polynomial::text() const {
  if (terms_.empty()) return "0";
  // Longest monomials first, the constant last: "g.nx * j + i - 1".
  std::vector<std::pair<Monomial, std::int64_t>> ordered(terms_.begin(), terms_.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto &a, const auto &b) { return a.first.size() > b.first.size(); });
  std::string text;
  for (const auto &[monomial, coefficient] : ordered) {
    const bool negative = coefficient < 0;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    const std::uint64_t magnitude =
        negative ? 0 - static_cast<std::uint64_t>(coefficient) : static_cast<std::uint64_t>(coefficient);
    std::string product;
    if (magnitude != 1 || monomial.empty()) product = std::to_string(magnitude);
    for (const std::string &factor : monomial) product += (product.empty() ? "" : " * ") + factor;
    text += product;
  }
  return text;
}

Polynomial operator+(const Polynomial &a, const Polynomial &b) {
  Polynomial sum = a;
  for (const auto &[monomial, coefficient] : b.terms_) sum.add(monomial, coefficient);
  return sum;
}

Polynomial operator-(const Polynomial &a, const Polynomial &b) { return a + Polynomial(-1) * b; }

Polynomial operator*(const Polynomial &a, const Polynomial &b) {
  Polynomial product;
  for (const auto &[left, first] : a.terms_)
    for (const auto &[right, second] : b.terms_) {
      Polynomial::Monomial monomial = left;
      monomial.insert(monomial.end(), right.begin(), right.end());
      std::sort(monomial.begin(), monomial.end());
      product.add(monomial, first * second);
    }
  return product;
}

void to_json(Json &json, const Polynomial &polynomial) {
  json = Json::array();
  for (const auto &[monomial, coefficient] : polynomial.terms())
    json.push_back({{"coefficient", coefficient}, {"symbols", monomial}});
}

void from_json(const Json &json, Polynomial &polynomial) {
  polynomial = {};
  for (const Json &term : json) {
    Polynomial product(term.at("coefficient").get<std::int64_t>());
    for (const auto &symbol : term.at("symbols")) product = product * Polynomial::symbol(symbol.get<std::string>());
    polynomial = polynomial + product;
  }
}

} // namespace kopt
