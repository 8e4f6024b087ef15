// Three-point averages in time: compute, then copy back.
#include "suite.h"

void kernel_jacobi_1d(int tsteps, int n, double *A, double *B) {
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++) B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    for (int j = 1; j < n - 1; j++) A[j] = B[j];
  }
}

int main() {
  const int tsteps = 6000, n = 16000;
  suite::Vector A = suite::random_vector(n, 1, 3, 1), B(n, 0.0), x = A;
  kernel_jacobi_1d(tsteps, n, A.data(), B.data());

  suite::print("A", A.data(), A.size());
  suite::Vector next = x;
  for (int t = 0; t < tsteps; ++t) {
    for (int i = 1; i < n - 1; ++i) next[i] = 0.33333 * x[i - 1] + 0.33333 * x[i] + 0.33333 * x[i + 1];
    x.swap(next);
  }
  return suite::verdict(suite::distance(A, x));
}
