// D = beta D + alpha A B C
#include "suite.h"

void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, double *tmp, const double *A, const double *B,
                const double *C, double *D) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      tmp[i * nj + j] = 0;
      for (int k = 0; k < nk; ++k) tmp[i * nj + j] += alpha * A[i * nk + k] * B[k * nj + j];
    }
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      D[i * nl + j] *= beta;
      for (int k = 0; k < nj; ++k) D[i * nl + j] += tmp[i * nj + k] * C[k * nl + j];
    }
}

int main() {
  const int ni = 340, nj = 360, nk = 380, nl = 400;
  const double alpha = 1.5, beta = 1.2;
  const suite::Vector A = suite::random_vector(ni * nk, -1, 1, 1), B = suite::random_vector(nk * nj, -1, 1, 2);
  const suite::Vector C = suite::random_vector(nj * nl, -1, 1, 3), before = suite::random_vector(ni * nl, -1, 1, 4);
  suite::Vector tmp(ni * nj), D = before;
  kernel_2mm(ni, nj, nk, nl, alpha, beta, tmp.data(), A.data(), B.data(), C.data(), D.data());

  suite::print("D", D.data(), D.size());
  const suite::Vector v = suite::random_vector(nl, -1, 1, 5);
  const suite::Vector right = suite::times(B.data(), nk, nj, suite::times(C.data(), nj, nl, v));
  const suite::Vector expected =
      suite::combine(beta, suite::times(before.data(), ni, nl, v), alpha, suite::times(A.data(), ni, nk, right));
  return suite::verdict(suite::distance(suite::times(D.data(), ni, nl, v), expected));
}
