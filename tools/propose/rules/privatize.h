// Privatizing: a variable declared once at the top of a function and set anew in every iteration of each loop that uses it
// (`int i, k; double r, u, vals[4];`) ties those iterations together for no reason. Declared inside the loop it does not.
#pragma once

#include "propose/rules/nest.h"

namespace kopt {

// The body with such declarations moved into the innermost loops, or branches inside them, that set the variable before they
// read it: a scalar by an assignment, an array of one dimension by a loop over all its elements.
[[nodiscard]] Nodes privatized(Nodes body);

} // namespace kopt
