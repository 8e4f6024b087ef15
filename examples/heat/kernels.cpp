// The time steps, the smoother and the matrix product.
#include "heat.h"

namespace heat {

void diffuse(const Grid &g, const double *u, const double *source, double *next, double dt) {
  const double cx = kDiffusivity * dt / SQUARE(g.dx);
  const double cy = kDiffusivity * dt / SQUARE(g.dy);
  for (int i = 1; i < g.nx - 1; ++i) {
    for (int j = 1; j < g.ny - 1; ++j) {
      const double u_xx = u[idx(g, i - 1, j)] - 2.0 * u[idx(g, i, j)] + u[idx(g, i + 1, j)];
      const double u_yy = u[idx(g, i, j - 1)] - 2.0 * u[idx(g, i, j)] + u[idx(g, i, j + 1)];
      next[idx(g, i, j)] = u[idx(g, i, j)] + cx * u_xx + cy * u_yy + dt * source[idx(g, i, j)];
    }
  }
}

void conduct(const Grid &g, const double *u, const double *kx, const double *ky, double *next, double dt) {
  const double cx = dt / SQUARE(g.dx);
  const double cy = dt / SQUARE(g.dy);
  for (int i = 1; i < g.nx - 1; ++i) {
    for (int j = 1; j < g.ny - 1; ++j) {
      const double east = kx[idx(g, i, j)] * (u[idx(g, i + 1, j)] - u[idx(g, i, j)]);
      const double west = kx[idx(g, i - 1, j)] * (u[idx(g, i, j)] - u[idx(g, i - 1, j)]);
      const double north = ky[idx(g, i, j)] * (u[idx(g, i, j + 1)] - u[idx(g, i, j)]);
      const double south = ky[idx(g, i, j - 1)] * (u[idx(g, i, j)] - u[idx(g, i, j - 1)]);
      next[idx(g, i, j)] = u[idx(g, i, j)] + cx * (east - west) + cy * (north - south);
    }
  }
}

void relax(const Grid &g, double *u) {
  for (int i = 1; i < g.nx - 1; ++i) {
    for (int j = 1; j < g.ny - 1; ++j) {
      const double sides = u[idx(g, i - 1, j)] + u[idx(g, i + 1, j)] + u[idx(g, i, j - 1)] + u[idx(g, i, j + 1)];
      const double corners =
          u[idx(g, i - 1, j - 1)] + u[idx(g, i + 1, j - 1)] + u[idx(g, i - 1, j + 1)] + u[idx(g, i + 1, j + 1)];
      u[idx(g, i, j)] = (4.0 * sides + corners) / 20.0;
    }
  }
}

void multiply(int rows, int inner, int columns, const double *a, const double *b, double *c) {
  for (int r = 0; r < rows; ++r) {
    for (int s = 0; s < columns; ++s) {
      c[r * columns + s] = 0.0;
      for (int k = 0; k < inner; ++k) c[r * columns + s] += a[r * inner + k] * b[k * columns + s];
    }
  }
}

} // namespace heat
