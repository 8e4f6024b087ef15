#pragma once
#include "size.h"

namespace mesh {

// Against the grain of memory, as is everything here.
inline void damp(int n, double *u) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) u[i * n + j] *= 0.875;
}

struct Sums {
  static void into(int n, const double *u, double *v);
};

} // namespace mesh

void by_rows(int n, double *u);
void by_columns(int n, double *u);
