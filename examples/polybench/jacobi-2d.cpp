// Five-point averages in time: compute, then copy back.
#include "suite.h"

#define N 900

void kernel_jacobi_2d(int tsteps, int n, double A[N][N], double B[N][N]) {
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) A[i][j] = B[i][j];
  }
}

static double A[N][N], B[N][N];

int main() {
  const int tsteps = 40;
  const std::size_t count = static_cast<std::size_t>(N) * N;
  suite::fill(&A[0][0], count, 1, 3, 1);
  suite::Vector x(&A[0][0], &A[0][0] + count);
  kernel_jacobi_2d(tsteps, N, A, B);

  suite::print("A", &A[0][0], count);
  suite::Vector next = x;
  for (int t = 0; t < tsteps; ++t) {
    for (int i = 1; i < N - 1; ++i)
      for (int j = 1; j < N - 1; ++j) {
        const int at = i * N + j;
        next[at] = 0.2 * x[at] + 0.2 * (x[at - N] + x[at + N]) + 0.2 * (x[at - 1] + x[at + 1]);
      }
    x.swap(next);
  }
  return suite::verdict(suite::distance(suite::Vector(&A[0][0], &A[0][0] + count), x));
}
