// C = beta C + alpha (A B^T + B A^T)
#include "suite.h"

#define NI 360
#define NJ 320

void kernel_syr2k(int ni, int nj, double alpha, double beta, double C[NI][NI], double A[NI][NJ], double B[NI][NJ]) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < ni; j++) C[i][j] *= beta;
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < ni; j++)
      for (int k = 0; k < nj; k++) {
        C[i][j] += alpha * A[i][k] * B[j][k];
        C[i][j] += alpha * B[i][k] * A[j][k];
      }
}

static double A[NI][NJ], B[NI][NJ], C[NI][NI];

int main() {
  const double alpha = 1.5, beta = 1.2;
  suite::fill(&A[0][0], NI * NJ, -1, 1, 1);
  suite::fill(&B[0][0], NI * NJ, -1, 1, 2);
  suite::fill(&C[0][0], NI * NI, -1, 1, 3);
  const suite::Vector before(&C[0][0], &C[0][0] + NI * NI);
  kernel_syr2k(NI, NJ, alpha, beta, C, A, B);

  suite::print("C", &C[0][0], NI * NI);
  const suite::Vector v = suite::random_vector(NI, -1, 1, 4);
  const suite::Vector first = suite::times(&A[0][0], NI, NJ, suite::transposed_times(&B[0][0], NI, NJ, v));
  const suite::Vector second = suite::times(&B[0][0], NI, NJ, suite::transposed_times(&A[0][0], NI, NJ, v));
  const suite::Vector scaled = suite::combine(beta, suite::times(before.data(), NI, NI, v), alpha, first);
  return suite::verdict(suite::distance(suite::times(&C[0][0], NI, NI, v), suite::combine(1, scaled, alpha, second)));
}
