// An eleven-point convolution in three dimensions.
#include "suite.h"

#define NI 200
#define NJ 210
#define NK 220

void kernel_3dconv(int ni, int nj, int nk, double A[NI][NJ][NK], double B[NI][NJ][NK]) {
  const double c11 = +2, c21 = +5, c31 = -8;
  const double c12 = -3, c22 = +6, c32 = -9;
  const double c13 = +4, c23 = +7, c33 = +10;
  for (int i = 1; i < ni - 1; ++i)
    for (int j = 1; j < nj - 1; ++j)
      for (int k = 1; k < nk - 1; ++k)
        B[i][j][k] = c11 * A[i - 1][j - 1][k - 1] + c13 * A[i + 1][j - 1][k - 1] + c21 * A[i - 1][j + 1][k - 1] +
                     c23 * A[i + 1][j + 1][k - 1] + c31 * A[i - 1][j - 1][k + 1] + c33 * A[i + 1][j - 1][k + 1] +
                     c12 * A[i][j - 1][k] + c22 * A[i][j][k] + c32 * A[i][j + 1][k] + c21 * A[i - 1][j + 1][k + 1] +
                     c23 * A[i + 1][j + 1][k + 1];
}

static double A[NI][NJ][NK], B[NI][NJ][NK];

int main() {
  const std::size_t count = static_cast<std::size_t>(NI) * NJ * NK;
  suite::fill(&A[0][0][0], count, 0, 1, 1);
  kernel_3dconv(NI, NJ, NK, A, B);

  suite::print("B", &B[0][0][0], count);
  struct Point {
    int i, j, k;
    double weight;
  };
  const Point points[] = {{-1, -1, -1, 2}, {1, -1, -1, 4}, {-1, 1, -1, 5}, {1, 1, -1, 7}, {-1, -1, 1, -8}, {1, -1, 1, 10},
                          {0, -1, 0, -3},  {0, 0, 0, 6},   {0, 1, 0, -9},  {-1, 1, 1, 5}, {1, 1, 1, 7}};
  suite::Vector found, expected;
  for (int i = 1; i < NI - 1; i += 7)
    for (int j = 1; j < NJ - 1; j += 5)
      for (int k = 1; k < NK - 1; k += 3) {
        double sum = 0;
        for (const Point &p : points) sum += p.weight * A[i + p.i][j + p.j][k + p.k];
        found.push_back(B[i][j][k]);
        expected.push_back(sum);
      }
  return suite::verdict(suite::distance(found, expected));
}
