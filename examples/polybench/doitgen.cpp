// A[r][q][p] = sum over s of A[r][q][s] C4[s][p], in place by means of a buffer
#include "suite.h"

void kernel_doitgen(int nr, int nq, int np, double *A, const double *C4, double *sum) {
  for (int r = 0; r < nr; r++)
    for (int q = 0; q < nq; q++) {
      for (int p = 0; p < np; p++) {
        sum[(r * nq + q) * np + p] = 0;
        for (int s = 0; s < np; s++)
          sum[(r * nq + q) * np + p] = sum[(r * nq + q) * np + p] + A[(r * nq + q) * np + s] * C4[s * np + p];
      }
      for (int p = 0; p < np; p++) A[(r * nq + q) * np + p] = sum[(r * nq + q) * np + p];
    }
}

int main() {
  const int nr = 80, nq = 70, np = 120;
  const suite::Vector before = suite::random_vector(nr * nq * np, -1, 1, 1), C4 = suite::random_vector(np * np, -1, 1, 2);
  suite::Vector A = before, sum(nr * nq * np);
  kernel_doitgen(nr, nq, np, A.data(), C4.data(), sum.data());

  suite::print("A", A.data(), A.size());
  const suite::Vector v = suite::random_vector(np, -1, 1, 3);
  const suite::Vector expected = suite::times(before.data(), nr * nq, np, suite::times(C4.data(), np, np, v));
  return suite::verdict(suite::distance(suite::times(A.data(), nr * nq, np, v), expected));
}
