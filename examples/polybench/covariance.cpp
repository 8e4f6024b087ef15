// The covariance matrix (times the number of observations) of the columns of `data`, which are centred in place; all arrays are
// global.
#include "suite.h"

#define M 480 // columns
#define N 460 // observations

static double data[N][M], symmat[M][M], mean[M];

static void kernel_covariance(int m, int n, double float_n) {
  /* Mean of the columns */
  for (int j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < n; i++) mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  /* Center the columns */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) data[i][j] -= mean[j];
  /* The matrix is symmetric */
  for (int j1 = 0; j1 < m; j1++)
    for (int j2 = j1; j2 < m; j2++) {
      symmat[j1][j2] = 0.0;
      for (int i = 0; i < n; i++) symmat[j1][j2] += data[i][j1] * data[i][j2];
      symmat[j2][j1] = symmat[j1][j2];
    }
}

int main() {
  suite::fill(&data[0][0], N * M, -1, 2, 1);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j) data[i][j] += 0.1 * (i % 7) + 0.01 * j;
  kernel_covariance(M, N, N);

  suite::print("covariance", &symmat[0][0], M * M);
  suite::print("means", mean, M);
  const suite::Vector v = suite::random_vector(M, -1, 1, 2);
  const suite::Vector product = suite::times(&data[0][0], N, M, v);
  const double spread = suite::dot(v, suite::times(&symmat[0][0], M, M, v));
  return suite::verdict(suite::distance(spread, suite::dot(product, product)));
}
