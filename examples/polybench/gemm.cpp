// C = beta C + alpha A B
#include "suite.h"

void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double *C, const double *A, const double *B) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      C[i * nj + j] *= beta;
      for (int k = 0; k < nk; ++k) C[i * nj + j] += alpha * A[i * nk + k] * B[k * nj + j];
    }
}

int main() {
  const int ni = 400, nj = 440, nk = 480;
  const double alpha = 1.5, beta = 1.2;
  const suite::Vector A = suite::random_vector(ni * nk, -1, 1, 1), B = suite::random_vector(nk * nj, -1, 1, 2);
  const suite::Vector before = suite::random_vector(ni * nj, -1, 1, 3);
  suite::Vector C = before;
  kernel_gemm(ni, nj, nk, alpha, beta, C.data(), A.data(), B.data());

  suite::print("C", C.data(), C.size());
  const suite::Vector v = suite::random_vector(nj, -1, 1, 4);
  const suite::Vector product = suite::times(A.data(), ni, nk, suite::times(B.data(), nk, nj, v));
  const suite::Vector expected = suite::combine(beta, suite::times(before.data(), ni, nj, v), alpha, product);
  return suite::verdict(suite::distance(suite::times(C.data(), ni, nj, v), expected));
}
