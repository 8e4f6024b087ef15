// y = A^T (A x)
#include "suite.h"

void kernel_atax(int nx, int ny, const double *A, const double *x, double *y, double *tmp) {
  for (int i = 0; i < ny; i++) y[i] = 0;
  for (int i = 0; i < nx; i++) {
    tmp[i] = 0;
    for (int j = 0; j < ny; j++) tmp[i] = tmp[i] + A[i * ny + j] * x[j];
    for (int j = 0; j < ny; j++) y[j] = y[j] + A[i * ny + j] * tmp[i];
  }
}

int main() {
  const int nx = 3600, ny = 3800;
  const suite::Vector A = suite::random_vector(static_cast<std::size_t>(nx) * ny, -1, 1, 1);
  const suite::Vector x = suite::random_vector(ny, -1, 1, 2);
  suite::Vector y(ny), tmp(nx);
  kernel_atax(nx, ny, A.data(), x.data(), y.data(), tmp.data());

  suite::print("y", y.data(), y.size());
  const suite::Vector expected = suite::transposed_times(A.data(), nx, ny, suite::times(A.data(), nx, ny, x));
  return suite::verdict(suite::distance(y, expected));
}
