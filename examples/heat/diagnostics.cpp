// What the solver prints about a field: its heat, its change, its profile along x, its spectrum of sine modes.
#include "heat.h"

#include <algorithm>
#include <cmath>

namespace heat {

static double total_heat(const Grid &g, const double *u) {
  double sum = 0.0;
  for (int i = 0; i < g.nx; ++i) {
    for (int j = 0; j < g.ny; ++j) sum += u[idx(g, i, j)];
  }
  return sum * g.dx * g.dy;
}

static double largest_change(const Grid &g, const double *u, const double *previous) {
  double largest = 0.0;
  for (int i = 0; i < g.nx; ++i) {
    for (int j = 0; j < g.ny; ++j) largest = std::max(largest, std::fabs(u[idx(g, i, j)] - previous[idx(g, i, j)]));
  }
  return largest;
}

// The mean over y at every x.
static void mean_profile(const Grid &g, const double *u, double *mean) {
  for (int i = 0; i < g.nx; ++i) {
    mean[i] = 0.0;
    for (int j = 0; j < g.ny; ++j) mean[i] += u[idx(g, i, j)] / g.ny;
  }
}

Summary summarize(const Grid &g, const double *u, const double *previous) {
  Field profile(static_cast<std::size_t>(g.nx));
  mean_profile(g, u, profile.data());
  Summary summary;
  summary.heat = total_heat(g, u);
  summary.change = largest_change(g, u, previous);
  summary.profile_max = *std::max_element(profile.begin(), profile.end());
  return summary;
}

// sines[m][i] = sin((m + 1) pi x_i) on `points` points, and its transpose.
static Field sine_table(int modes, int points, double spacing, bool transposed) {
  Field table(static_cast<std::size_t>(modes) * points);
  for (int m = 0; m < modes; ++m) {
    for (int i = 0; i < points; ++i) {
      table[static_cast<std::size_t>(transposed ? i * modes + m : m * points + i)] = std::sin((m + 1) * kPi * i * spacing);
    }
  }
  return table;
}

Field sine_spectrum(const Grid &g, const Field &u, int modes, int stride) {
  const int px = (g.nx - 1) / stride + 1;
  const int py = (g.ny - 1) / stride + 1;
  Field samples(static_cast<std::size_t>(px) * py); // by rows of x
  for (int i = 0; i < px; ++i) {
    for (int j = 0; j < py; ++j) samples[static_cast<std::size_t>(i * py + j)] = u[idx(g, i * stride, j * stride)];
  }
  const Field along_x = sine_table(modes, px, g.dx * stride, false);
  const Field along_y = sine_table(modes, py, g.dy * stride, true);
  Field half(static_cast<std::size_t>(modes) * py);
  Field spectrum(static_cast<std::size_t>(modes) * modes);
  multiply(modes, px, py, along_x.data(), samples.data(), half.data());
  multiply(modes, py, modes, half.data(), along_y.data(), spectrum.data());
  const double scale = 4.0 * SQUARE(stride) * g.dx * g.dy;
  for (double &amplitude : spectrum) amplitude *= scale;
  return spectrum;
}

} // namespace heat
