// The correlation matrix of the columns of `data`, whose columns are centred and scaled in place.
#include "suite.h"

#define M 480 // columns
#define N 500 // observations

void kernel_correlation(int m, int n, double float_n, double data[N][M], double symmat[M][M], double mean[M],
                        double stddev[M]) {
  const double eps = 0.1;
  /* Mean of the columns */
  for (int j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < n; i++) mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  /* Their standard deviations */
  for (int j = 0; j < m; j++) {
    stddev[j] = 0.0;
    for (int i = 0; i < n; i++) stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    stddev[j] /= float_n;
    stddev[j] = std::sqrt(stddev[j]);
    /* Near-zero deviations would divide by zero */
    stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
  }
  /* Center and reduce the columns */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      data[i][j] -= mean[j];
      data[i][j] /= std::sqrt(float_n) * stddev[j];
    }
  /* The matrix is symmetric */
  for (int j1 = 0; j1 < m - 1; j1++) {
    symmat[j1][j1] = 1.0;
    for (int j2 = j1 + 1; j2 < m; j2++) {
      symmat[j1][j2] = 0.0;
      for (int i = 0; i < n; i++) symmat[j1][j2] += (data[i][j1] * data[i][j2]);
      symmat[j2][j1] = symmat[j1][j2];
    }
  }
  symmat[m - 1][m - 1] = 1.0;
}

static double data[N][M], symmat[M][M], mean[M], stddev[M];

int main() {
  suite::fill(&data[0][0], N * M, -1, 2, 1);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j) data[i][j] += 0.1 * (i % 7) + 0.01 * j;
  kernel_correlation(M, N, N, data, symmat, mean, stddev);

  suite::print("correlation", &symmat[0][0], M * M);
  suite::print("deviations", stddev, M);
  const suite::Vector v = suite::random_vector(M, -1, 1, 2);
  const suite::Vector product = suite::times(&data[0][0], N, M, v);
  const double spread = suite::dot(v, suite::times(&symmat[0][0], M, M, v));
  return suite::verdict(suite::distance(spread, suite::dot(product, product)));
}
