// The numerical kernels of the solver and its diagnostics. All of them work on fields of a Grid.
#pragma once

#include "grid.h"

#define SQUARE(x) ((x) * (x))

namespace heat {

constexpr double kPi = 3.14159265358979323846;
constexpr double kDiffusivity = 1.0;

// The largest stable explicit step, times a safety factor.
inline double stable_step(const Grid &g, double largest_conductivity) {
  return 0.4 / (largest_conductivity * (1.0 / SQUARE(g.dx) + 1.0 / SQUARE(g.dy)));
}

// Conductivity of the face between two cells: they conduct one after the other.
inline double face_conductivity(double a, double b) { return a + b > 0.0 ? 2.0 * a * b / (a + b) : 0.0; }

// kernels.cpp
// One explicit step of u_t = D (u_xx + u_yy) + source in the interior.
void diffuse(const Grid &g, const double *u, const double *source, double *next, double dt);
// One explicit step of u_t = div(k grad u); kx and ky hold the conductivity of the face towards larger x and larger y.
void conduct(const Grid &g, const double *u, const double *kx, const double *ky, double *next, double dt);
// One sweep of in-place smoothing with the nine-point average.
void relax(const Grid &g, double *u);
// c = a b for matrices stored by rows: a is rows x inner, b is inner x columns.
void multiply(int rows, int inner, int columns, const double *a, const double *b, double *c);

// diagnostics.cpp
struct Summary {
  double heat = 0;        // integral of u
  double change = 0;      // largest change of the last step
  double profile_max = 0; // largest mean over y
};
Summary summarize(const Grid &g, const double *u, const double *previous);
// Amplitude of the mode sin(p pi x) sin(q pi y) for p and q from 1 to `modes`, by rows of p, from every `stride`-th point in x
// and y.
Field sine_spectrum(const Grid &g, const Field &u, int modes, int stride);

} // namespace heat
