// Fluxes through the cells of a grid: everything declared at the top, one index variable for all nests, short loops over the
// quantities and their neighbours, a math function, a condition on the row.
#include <cmath>

void flux(int columns, int rows, double scale, const double *state, double *flow, double *change) {
  int i, k, quantity, s, at, left, right, far;
  double weight, speed, stencil[4], values[3];
  weight = -scale / 16;
  for (k = 0; k < rows; k++) {
    for (i = 0; i < columns - 3; i++) {
      for (quantity = 0; quantity < 3; quantity++) {
        for (s = 0; s < 4; s++) {
          at = quantity * rows * columns + k * columns + i + s;
          stencil[s] = state[at];
        }
        values[quantity] = -stencil[0] / 12 + 7 * stencil[1] / 12 + 7 * stencil[2] / 12 - stencil[3] / 12;
      }
      speed = values[1] * (1 + std::sqrt(std::fabs(values[0])));
      if (k == 0 || k == rows - 1) {
        values[2] = 0;
      }
      if (values[2] > 1) {
        speed = speed + values[2];
      }
      flow[k * columns + i] = speed * values[0] - weight * values[2];
    }
  }
  for (k = 0; k < rows; k++) {
    for (i = 0; i < columns - 4; i++) {
      at = k * columns + i;
      left = k * columns + i;
      right = k * columns + i + 1;
      change[at] = -(flow[right] - flow[left]) / scale;
      if (k > 1) {
        far = k * columns + i + 2;
        change[at] = change[at] - flow[far];
      }
    }
  }
}
