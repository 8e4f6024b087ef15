// Headers that guard themselves in every way, are included twice, and reach one another in a circle.
// kopt-kernel: run
#include "a.h"
#include "b.h"
#include "a.h"
#include "c.h"
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = from_a(x[i]) + from_b(x[i]) + from_c(x[i]);
}
//! file a.h
/* a licence
   over lines */
#if !defined(A_H) // -
#define A_H 1 // -
#include "b.h"
struct A { double v; }; // +
inline double from_a(double v) { return A{v}.v; } // +
#endif /* A_H */
//! file b.h
#pragma once // -
#include "a.h"
inline double from_b(double v) { return v * 3; } // +
inline double not_from_b(double v) { return v * 4; } // -
//! file c.h
#ifndef C_H // -
#define C_H // -
#pragma once // -
inline double from_c(double v) { return v * 5; } // +
#endif
