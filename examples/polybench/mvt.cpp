// x1 = x1 + A y1, x2 = x2 + A^T y2
#include "suite.h"

void kernel_mvt(int n, double *x1, double *x2, const double *y1, const double *y2, const double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x1[i] = x1[i] + A[i * n + j] * y1[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x2[i] = x2[i] + A[j * n + i] * y2[j];
}

int main() {
  const int n = 3000;
  const suite::Vector A = suite::random_vector(static_cast<std::size_t>(n) * n, -1, 1, 1);
  const suite::Vector y1 = suite::random_vector(n, -1, 1, 2), y2 = suite::random_vector(n, -1, 1, 3);
  const suite::Vector before1 = suite::random_vector(n, -1, 1, 4), before2 = suite::random_vector(n, -1, 1, 5);
  suite::Vector x1 = before1, x2 = before2;
  kernel_mvt(n, x1.data(), x2.data(), y1.data(), y2.data(), A.data());

  suite::print("x1", x1.data(), x1.size());
  suite::print("x2", x2.data(), x2.size());
  const suite::Vector expected1 = suite::combine(1, before1, 1, suite::times(A.data(), n, n, y1));
  const suite::Vector expected2 = suite::combine(1, before2, 1, suite::transposed_times(A.data(), n, n, y2));
  return suite::verdict(std::fmax(suite::distance(x1, expected1), suite::distance(x2, expected2)));
}
