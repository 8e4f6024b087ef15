// Alternating directions: in each time step every row, then every column is solved for by elimination and substitution.
#include "suite.h"

#define N 500

void kernel_adi(int tsteps, int n, double X[N][N], double A[N][N], double B[N][N]) {
  for (int t = 0; t < tsteps; t++) {
    for (int i1 = 0; i1 < n; i1++)
      for (int i2 = 1; i2 < n; i2++) {
        X[i1][i2] = X[i1][i2] - X[i1][i2 - 1] * A[i1][i2] / B[i1][i2 - 1];
        B[i1][i2] = B[i1][i2] - A[i1][i2] * A[i1][i2] / B[i1][i2 - 1];
      }
    for (int i1 = 0; i1 < n; i1++) X[i1][n - 1] = X[i1][n - 1] / B[i1][n - 1];
    for (int i1 = 0; i1 < n; i1++)
      for (int i2 = 0; i2 < n - 2; i2++)
        X[i1][n - i2 - 2] = (X[i1][n - 2 - i2] - X[i1][n - 2 - i2 - 1] * A[i1][n - i2 - 3]) / B[i1][n - 3 - i2];

    for (int i1 = 1; i1 < n; i1++)
      for (int i2 = 0; i2 < n; i2++) {
        X[i1][i2] = X[i1][i2] - X[i1 - 1][i2] * A[i1][i2] / B[i1 - 1][i2];
        B[i1][i2] = B[i1][i2] - A[i1][i2] * A[i1][i2] / B[i1 - 1][i2];
      }
    for (int i2 = 0; i2 < n; i2++) X[n - 1][i2] = X[n - 1][i2] / B[n - 1][i2];
    for (int i1 = 0; i1 < n - 2; i1++)
      for (int i2 = 0; i2 < n; i2++)
        X[n - 2 - i1][i2] = (X[n - 2 - i1][i2] - X[n - i1 - 3][i2] * A[n - 3 - i1][i2]) / B[n - 2 - i1][i2];
  }
}

static double X[N][N], A[N][N], B[N][N];

// One line of the system, wherever its elements lie: `stride` apart. `late` is the place of the divisor of the substitution.
static void solve_line(double *x, const double *a, double *b, int stride, int late) {
  for (int i = 1; i < N; ++i) {
    const int here = i * stride, before = here - stride;
    x[here] -= x[before] * a[here] / b[before];
    b[here] -= a[here] * a[here] / b[before];
  }
  x[(N - 1) * stride] /= b[(N - 1) * stride];
  for (int i = N - 2; i > 0; --i) {
    const int here = i * stride, before = here - stride;
    x[here] = (x[here] - x[before] * a[before]) / b[here - late * stride];
  }
}

int main() {
  const int tsteps = 10;
  suite::fill(&X[0][0], N * N, 0, 1, 1);
  suite::fill(&A[0][0], N * N, 0, 0.1, 2);
  suite::fill(&B[0][0], N * N, 1, 1.4, 3);
  suite::Vector x(&X[0][0], &X[0][0] + N * N), b(&B[0][0], &B[0][0] + N * N);
  kernel_adi(tsteps, N, X, A, B);

  suite::print("X", &X[0][0], N * N);
  suite::print("B", &B[0][0], N * N);
  for (int t = 0; t < tsteps; ++t) {
    for (int i = 0; i < N; ++i) solve_line(&x[i * N], &A[i][0], &b[i * N], 1, 1);
    for (int i = 0; i < N; ++i) solve_line(&x[i], &A[0][i], &b[i], N, 0);
  }
  return suite::verdict(suite::distance(suite::Vector(&X[0][0], &X[0][0] + N * N), x));
}
