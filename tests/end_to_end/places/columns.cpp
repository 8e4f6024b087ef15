// A static function of the same name, which does something else.
#include "mesh.h"

static void shift(int n, const double *u, double *v) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) v[i * n + j] = u[i * n + j] - 0.5 * v[i * n + j];
}

void by_columns(int n, double *u) {
  static double v[size * size];
  shift(n, u, v);
  mesh::damp(n, v);
  for (int i = 0; i < n * n; ++i) u[i] = v[i];
}
