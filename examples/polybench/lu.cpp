// A = L U in place, without pivoting; the ones of the diagonal are those of U.
#include "suite.h"

#define N 900

void kernel_lu(int n, double A[N][N]) {
  for (int k = 0; k < n; k++) {
    for (int j = k + 1; j < n; j++) A[k][j] = A[k][j] / A[k][k];
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i][j] = A[i][j] - A[i][k] * A[k][j];
  }
}

static double A[N][N];

// L (with the diagonal) times U (with ones on the diagonal) times v
static suite::Vector factors_times(const suite::Vector &v) {
  suite::Vector upper = v, product(N, 0.0);
  for (int i = 0; i < N; ++i)
    for (int j = i + 1; j < N; ++j) upper[i] += A[i][j] * v[j];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j <= i; ++j) product[i] += A[i][j] * upper[j];
  return product;
}

int main() {
  suite::fill(&A[0][0], static_cast<std::size_t>(N) * N, -1, 1, 1);
  for (int i = 0; i < N; ++i) A[i][i] += N; // dominant: no pivot is needed
  const suite::Vector before(&A[0][0], &A[0][0] + static_cast<std::size_t>(N) * N);
  kernel_lu(N, A);

  suite::print("LU", &A[0][0], static_cast<std::size_t>(N) * N);
  const suite::Vector v = suite::random_vector(N, -1, 1, 2);
  return suite::verdict(suite::distance(factors_times(v), suite::times(before.data(), N, N, v)));
}
