// Kernels in the forms that a library has them: in an anonymous namespace with structs of pointers, static with a result,
// public with a global.
#include "num.h"

#include <cmath>

namespace num {

double total = 0;

namespace {

void blend(View a, View b, double weight) {
  for (int c = 0; c < a.columns; ++c)
    for (int r = 0; r < a.rows; ++r) {
      const double other = SCALE * b.data[r * b.columns + c];
      a.data[r * a.columns + c] = (1 - weight) * a.data[r * a.columns + c] + weight * other;
    }
}

} // namespace

static double norm(const double *x, int rows, int columns) {
  double sum = 0;
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) sum += x[r * columns + c] * x[r * columns + c];
  return std::sqrt(sum);
}

void accumulate(const double *x, int rows, int columns) {
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) total += x[r * columns + c];
}

void blend_all(View a, View b, double weight) { blend(a, b, weight); }
double norm_of(View a) { return norm(a.data, a.rows, a.columns); }

} // namespace num
