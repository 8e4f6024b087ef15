// Headers by relative paths with `..`, by folders, by angle brackets from the project itself, and the same one by two spellings.
// kopt-kernel: run
#include "src/detail/impl.h"
#include "src/../base/base.h"
#include <base/base.h> // -
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = impl::twice(x[i]) + base::one();
}
//! file src/detail/impl.h
#pragma once
#include "../../base/base.h"
#include "../local.h"
namespace impl {
inline double twice(double v) { return v + v + base::one() + kLocal; } // +
}
//! file src/local.h
#pragma once
const double kLocal = 0.5; // +
//! file base/base.h
#ifndef BASE_H
#define BASE_H
namespace base {
inline double one() { return 1; } // +
inline double two() { return 2; } // -
}
#endif
