// Extent: which elements a kernel touches through a pointer: indices from `first` up to but excluding `end`, each a polynomial
// over scalar leaves. Where it cannot be said beforehand which of several is the lowest or the largest (n or m), all are kept.
#pragma once

#include "core/polynomial.h"

#include <string>
#include <vector>

namespace kopt {

struct Extent {
  std::vector<Polynomial> first; // the smallest of these; none: 0
  std::vector<Polynomial> end;   // the largest of these

  Extent() = default;
  Extent(Polynomial elements) : end{std::move(elements)} {} // NOLINT(google-explicit-constructor): from the pointer on

  // As an expression of plans and cases: "n * m", "max(n, m)".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string first_text() const; // "0" where there is none
  // "n * m", or "from -n to n * m".
  [[nodiscard]] std::string shown() const;

  friend bool operator==(const Extent &, const Extent &) = default;
};

// An array of terms where the extent is one polynomial from 0 on, else {"first": [...], "end": [...]}.
void to_json(Json &json, const Extent &extent);
void from_json(const Json &json, Extent &extent);

} // namespace kopt
