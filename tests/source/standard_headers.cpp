// Includes under conditions, with a macro's name, by a header of the project that collects them, and one more than once.
// kopt-kernel: run
// kopt-flags: -DWITH_MATH=1
// kopt-macros: WITH_MATH=1
#include "all.h" // -
#if WITH_MATH // +
#include <cmath> // +
#else
#include <cstdlib> // -
#endif
#define NUMBERS <complex> // +
#include NUMBERS // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = std::hypot(x[i], 1) + std::max(1.0, x[i]) + std::complex<double>(x[i]).real();
}
//! file all.h
#pragma once
#include <algorithm> // +
#include <vector> // -
