// Forward declarations and repeated declarations, in a header and in the source.
// kopt-kernel: heat::step
#include "step.h"
namespace heat {
void step(const Grid *g, double *u) { // +
  for (int i = 0; i < size_of(*g); ++i) u[i] += 1;
}
int size_of(const Grid &g) { return g.n; } // +
} // namespace heat
//! file step.h
#pragma once
namespace heat {
struct Grid; // +
int size_of(const Grid &g); // +
void step(const Grid *g, double *u); // +
void unrelated(const Grid *g); // -
struct Grid { // +
  int n;
};
} // namespace heat
