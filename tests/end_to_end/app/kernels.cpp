#include "kernels.h"

// Columns first: slow for rows stored one after the other.
void transpose_add(const Shape &shape, const double *a, const double *b, double *c) {
  for (int column = 0; column < shape.columns; ++column)
    for (int row = 0; row < shape.rows; ++row)
      c[at(shape, row, column)] = a[at(shape, row, column)] + 2.0 * b[at(shape, row, column)];
}

// Every point depends on its left and upper neighbours: nothing to gain.
void sweep(const Shape &shape, double *a) {
  for (int row = 1; row < shape.rows; ++row)
    for (int column = 1; column < shape.columns; ++column)
      a[at(shape, row, column)] = 0.5 * (a[at(shape, row - 1, column)] + a[at(shape, row, column - 1)]);
}

const char *greeting() { return "hello"; }
