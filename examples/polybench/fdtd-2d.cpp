// Electric (ex, ey) and magnetic (hz) fields in the plane, finite differences in time.
#include "suite.h"

#define TMAX 30
#define NX 700
#define NY 720

void kernel_fdtd_2d(int tmax, int nx, int ny, double ex[NX][NY], double ey[NX][NY], double hz[NX][NY], double fict[TMAX]) {
  for (int t = 0; t < tmax; t++) {
    for (int j = 0; j < ny; j++) ey[0][j] = fict[t];
    for (int i = 1; i < nx; i++)
      for (int j = 0; j < ny; j++) ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < nx; i++)
      for (int j = 1; j < ny; j++) ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < nx - 1; i++)
      for (int j = 0; j < ny - 1; j++) hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

static double ex[NX][NY], ey[NX][NY], hz[NX][NY], fict[TMAX];

// The same physics on whole fields: each is a new one in each step.
static suite::Vector step_magnetic(suite::Vector &e_x, suite::Vector &e_y, suite::Vector h, double source) {
  const suite::Vector old_x = e_x, old_y = e_y;
  const auto at = [](int i, int j) { return i * NY + j; };
  for (int i = 0; i < NX; ++i)
    for (int j = 0; j < NY; ++j) {
      e_y[at(i, j)] = i == 0 ? source : old_y[at(i, j)] - 0.5 * (h[at(i, j)] - h[at(i - 1, j)]);
      e_x[at(i, j)] = j == 0 ? old_x[at(i, j)] : old_x[at(i, j)] - 0.5 * (h[at(i, j)] - h[at(i, j - 1)]);
    }
  for (int i = 0; i + 1 < NX; ++i)
    for (int j = 0; j + 1 < NY; ++j) {
      const double curl = e_x[at(i, j + 1)] - e_x[at(i, j)] + e_y[at(i + 1, j)] - e_y[at(i, j)];
      h[at(i, j)] -= 0.7 * curl;
    }
  return h;
}

int main() {
  suite::fill(&ex[0][0], NX * NY, 0, 1, 1);
  suite::fill(&ey[0][0], NX * NY, 0, 1, 2);
  suite::fill(&hz[0][0], NX * NY, 0, 1, 3);
  for (int t = 0; t < TMAX; ++t) fict[t] = t;
  suite::Vector e_x(&ex[0][0], &ex[0][0] + NX * NY), e_y(&ey[0][0], &ey[0][0] + NX * NY), h(&hz[0][0], &hz[0][0] + NX * NY);
  kernel_fdtd_2d(TMAX, NX, NY, ex, ey, hz, fict);

  suite::print("ex", &ex[0][0], NX * NY);
  suite::print("ey", &ey[0][0], NX * NY);
  suite::print("hz", &hz[0][0], NX * NY);
  for (int t = 0; t < TMAX; ++t) h = step_magnetic(e_x, e_y, h, t);
  return suite::verdict(suite::distance(suite::Vector(&hz[0][0], &hz[0][0] + NX * NY), h));
}
