// Helpers in project headers, reached through one another; a header nobody needs.
// kopt-kernel: app::run
#include "helper.h" // -
#include "unused.h" // -
namespace app {
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = twice(x[i]);
}
} // namespace app
//! file helper.h
#ifndef HELPER_H // -
#define HELPER_H // -
#include "base.h" // -
namespace app {
inline double twice(double v) { return base::add(v, v); } // +
inline double thrice(double v) { return 3 * v; } // -
} // namespace app
#endif
//! file base.h
#pragma once // -
namespace base {
inline double add(double a, double b) { return a + b; } // +
inline double subtract(double a, double b) { return a - b; } // -
} // namespace base
//! file unused.h
#pragma once
inline int nothing() { return 0; } // -
