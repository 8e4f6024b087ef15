// G = (A B) (C D)
#include "suite.h"

#define NI 300
#define NJ 310
#define NK 320
#define NL 330
#define NM 340

void kernel_3mm(int ni, int nj, int nk, int nl, int nm, double E[NI][NJ], double A[NI][NK], double B[NK][NJ], double F[NJ][NL],
                double C[NJ][NM], double D[NM][NL], double G[NI][NL]) {
  /* E := A*B */
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      E[i][j] = 0;
      for (int k = 0; k < nk; ++k) E[i][j] += A[i][k] * B[k][j];
    }
  /* F := C*D */
  for (int i = 0; i < nj; i++)
    for (int j = 0; j < nl; j++) {
      F[i][j] = 0;
      for (int k = 0; k < nm; ++k) F[i][j] += C[i][k] * D[k][j];
    }
  /* G := E*F */
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      G[i][j] = 0;
      for (int k = 0; k < nj; ++k) G[i][j] += E[i][k] * F[k][j];
    }
}

static double A[NI][NK], B[NK][NJ], C[NJ][NM], D[NM][NL], E[NI][NJ], F[NJ][NL], G[NI][NL];

int main() {
  suite::fill(&A[0][0], NI * NK, -1, 1, 1);
  suite::fill(&B[0][0], NK * NJ, -1, 1, 2);
  suite::fill(&C[0][0], NJ * NM, -1, 1, 3);
  suite::fill(&D[0][0], NM * NL, -1, 1, 4);
  kernel_3mm(NI, NJ, NK, NL, NM, E, A, B, F, C, D, G);

  suite::print("G", &G[0][0], NI * NL);
  suite::Vector v = suite::random_vector(NL, -1, 1, 5);
  const suite::Vector result = suite::times(&G[0][0], NI, NL, v);
  v = suite::times(&C[0][0], NJ, NM, suite::times(&D[0][0], NM, NL, v));
  v = suite::times(&A[0][0], NI, NK, suite::times(&B[0][0], NK, NJ, v));
  return suite::verdict(suite::distance(result, v));
}
