// A kernel in a header that the source includes.
// kopt-kernel: lib::scale
// kopt-leaves: n x
#include "lib/scale.h"
void use(double *x) { lib::scale(1, x); } // -
//! file lib/scale.h
#ifndef LIB_SCALE_H
#define LIB_SCALE_H
#include "factor.h"
namespace lib {
inline void scale(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] *= factor;
}
} // namespace lib
#endif
//! file lib/factor.h
#pragma once
constexpr double factor = 3; // +
//! file other.cpp
#include "lib/scale.h"
void again(double *x) { lib::scale(2, x); } // -
//! file bystander.cpp
void bystander() {}
