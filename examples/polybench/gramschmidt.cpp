// A = Q R by modified Gram-Schmidt; A is used up.
#include "suite.h"

#define NI 480
#define NJ 400

void kernel_gramschmidt(int ni, int nj, double A[NI][NJ], double R[NJ][NJ], double Q[NI][NJ]) {
  double nrm;
  for (int k = 0; k < nj; k++) {
    nrm = 0;
    for (int i = 0; i < ni; i++) nrm += A[i][k] * A[i][k];
    R[k][k] = std::sqrt(nrm);
    for (int i = 0; i < ni; i++) Q[i][k] = A[i][k] / R[k][k];
    for (int j = k + 1; j < nj; j++) {
      R[k][j] = 0;
      for (int i = 0; i < ni; i++) R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < ni; i++) A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}

static double A[NI][NJ], R[NJ][NJ], Q[NI][NJ];

int main() {
  suite::fill(&A[0][0], NI * NJ, -1, 1, 1);
  for (int j = 0; j < NJ; ++j) A[j][j] += 40.0; // columns far from each other's span
  const suite::Vector before(&A[0][0], &A[0][0] + NI * NJ);
  kernel_gramschmidt(NI, NJ, A, R, Q);

  suite::print("R", &R[0][0], NJ * NJ);
  suite::print("Q", &Q[0][0], NI * NJ);
  const suite::Vector v = suite::random_vector(NJ, -1, 1, 2);
  const suite::Vector product = suite::times(&Q[0][0], NI, NJ, suite::times(&R[0][0], NJ, NJ, v));
  const suite::Vector same = suite::transposed_times(&Q[0][0], NI, NJ, suite::times(&Q[0][0], NI, NJ, v));
  return suite::verdict(std::fmax(suite::distance(product, suite::times(before.data(), NI, NJ, v)), suite::distance(same, v)));
}
