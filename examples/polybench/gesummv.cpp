// y = alpha A x + beta B x
#include "suite.h"

void kernel_gesummv(int n, double alpha, double beta, const double *A, const double *B, double *tmp, const double *x,
                    double *y) {
  for (int i = 0; i < n; i++) {
    tmp[i] = 0;
    y[i] = 0;
    for (int j = 0; j < n; j++) {
      tmp[i] = A[i * n + j] * x[j] + tmp[i];
      y[i] = B[i * n + j] * x[j] + y[i];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}

int main() {
  const int n = 3200;
  const double alpha = 1.5, beta = 1.2;
  const suite::Vector A = suite::random_vector(static_cast<std::size_t>(n) * n, -1, 1, 1);
  const suite::Vector B = suite::random_vector(static_cast<std::size_t>(n) * n, -1, 1, 2);
  const suite::Vector x = suite::random_vector(n, -1, 1, 3);
  suite::Vector tmp(n), y(n);
  kernel_gesummv(n, alpha, beta, A.data(), B.data(), tmp.data(), x.data(), y.data());

  suite::print("y", y.data(), y.size());
  const suite::Vector expected = suite::combine(alpha, suite::times(A.data(), n, n, x), beta, suite::times(B.data(), n, n, x));
  return suite::verdict(suite::distance(y, expected));
}
