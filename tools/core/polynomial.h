// Polynomial: an integer polynomial over named symbols (scalar leaves and loop variables); the affine form of subscripts,
// bounds and extents.
#pragma once

#include "core/json.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kopt {

class Polynomial {
public:
  using Monomial = std::vector<std::string>; // sorted symbols, repeated for powers; empty: the constant

  Polynomial() = default;            // zero
  Polynomial(std::int64_t constant); // NOLINT(google-explicit-constructor): arithmetic with constants reads naturally
  static Polynomial symbol(std::string name);

  [[nodiscard]] const std::map<Monomial, std::int64_t> &terms() const { return terms_; }
  [[nodiscard]] bool is_zero() const { return terms_.empty(); }
  [[nodiscard]] bool is_constant() const;
  [[nodiscard]] std::int64_t constant() const; // the constant term
  [[nodiscard]] std::set<std::string> symbols() const;
  [[nodiscard]] bool uses(const std::string &symbol) const;
  // Highest power of `symbol` in any term.
  [[nodiscard]] int degree_in(const std::string &symbol) const;
  // The factor of `symbol`^1 (terms linear in it, with it removed).
  [[nodiscard]] Polynomial coefficient_of(const std::string &symbol) const;
  [[nodiscard]] Polynomial substitute(const std::string &symbol, const Polynomial &value) const;

  // C++ text, e.g. "g.nx * j + i - 1".
  [[nodiscard]] std::string text() const;

  friend Polynomial operator+(const Polynomial &a, const Polynomial &b);
  friend Polynomial operator-(const Polynomial &a, const Polynomial &b);
  friend Polynomial operator*(const Polynomial &a, const Polynomial &b);
  friend bool operator==(const Polynomial &a, const Polynomial &b) { return a.terms_ == b.terms_; }
  friend bool operator<(const Polynomial &a, const Polynomial &b) { return a.terms_ < b.terms_; }

private:
  void add(const Monomial &monomial, std::int64_t coefficient);
  std::map<Monomial, std::int64_t> terms_;
};

void to_json(Json &json, const Polynomial &polynomial);
void from_json(const Json &json, Polynomial &polynomial);

} // namespace kopt
