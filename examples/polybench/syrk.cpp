// C = beta C + alpha A A^T
#include "suite.h"

void kernel_syrk(int ni, int nj, double alpha, double beta, double *C, const double *A) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < ni; j++) C[i * ni + j] *= beta;
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < ni; j++)
      for (int k = 0; k < nj; k++) C[i * ni + j] += alpha * A[i * nj + k] * A[j * nj + k];
}

int main() {
  const int ni = 440, nj = 400;
  const double alpha = 1.5, beta = 1.2;
  const suite::Vector A = suite::random_vector(ni * nj, -1, 1, 1), before = suite::random_vector(ni * ni, -1, 1, 2);
  suite::Vector C = before;
  kernel_syrk(ni, nj, alpha, beta, C.data(), A.data());

  suite::print("C", C.data(), C.size());
  const suite::Vector v = suite::random_vector(ni, -1, 1, 3);
  const suite::Vector product = suite::times(A.data(), ni, nj, suite::transposed_times(A.data(), ni, nj, v));
  const suite::Vector expected = suite::combine(beta, suite::times(before.data(), ni, ni, v), alpha, product);
  return suite::verdict(suite::distance(suite::times(C.data(), ni, ni, v), expected));
}
