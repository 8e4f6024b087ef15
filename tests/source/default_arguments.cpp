// Default arguments: from a constant, a function, a static member, an enumerator; given in the header, defined in the source.
// kopt-kernel: run
#include "defaults.h"
double scale(double v, double by, int power) { // +
  for (int k = 0; k < power; ++k) v *= by;
  return v;
}
double spare(double v, double by) { return v * by; } // -
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = scale(x[i]) + shift(x[i]);
}
//! file defaults.h
#pragma once
constexpr double kBy = 1.5; // +
constexpr double kSpare = 2.5; // -
struct Limits { static constexpr int power = 2; }; // +
inline double zero_point() { return 0.25; } // +
enum Step { kSmall = 1, kLarge = 10 }; // +
double scale(double v, double by = kBy, int power = Limits::power); // +
double spare(double v, double by = kSpare); // -
inline double shift(double v, double by = zero_point(), Step s = kLarge) { return v + by * s; } // +
