// A = A + u1 v1^T + u2 v2^T, x = x + beta A^T y + z, w = w + alpha A x; all arrays are global.
#include "suite.h"

#define N 2600

static double A[N][N];
static double u1[N], v1[N], u2[N], v2[N], w[N], x[N], y[N], z[N];

static void kernel_gemver(int n, double alpha, double beta) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x[i] = x[i] + beta * A[j][i] * y[j];
  for (int i = 0; i < n; i++) x[i] = x[i] + z[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) w[i] = w[i] + alpha * A[i][j] * x[j];
}

static suite::Vector copy(const double *values) { return suite::Vector(values, values + N); }

int main() {
  const double alpha = 1.5, beta = 1.2;
  suite::fill(&A[0][0], static_cast<std::size_t>(N) * N, -1, 1, 1);
  double *const vectors[] = {u1, v1, u2, v2, w, x, y, z};
  for (int k = 0; k < 8; ++k) suite::fill(vectors[k], N, -1, 1, static_cast<unsigned>(k) + 2);
  const suite::Vector A_before(&A[0][0], &A[0][0] + static_cast<std::size_t>(N) * N), w_before = copy(w), x_before = copy(x);
  kernel_gemver(N, alpha, beta);

  suite::print("A", &A[0][0], static_cast<std::size_t>(N) * N);
  suite::print("x", x, N);
  suite::print("w", w, N);
  // The ranks are added to the products instead of the matrix.
  const auto add_ranks = [](suite::Vector product, const suite::Vector &left1, const suite::Vector &right1,
                            const suite::Vector &left2, const suite::Vector &right2, const suite::Vector &factor) {
    product = suite::combine(1, product, suite::dot(right1, factor), left1);
    return suite::combine(1, product, suite::dot(right2, factor), left2);
  };
  suite::Vector transposed = suite::transposed_times(A_before.data(), N, N, copy(y));
  transposed = add_ranks(transposed, copy(v1), copy(u1), copy(v2), copy(u2), copy(y));
  const suite::Vector x_expected = suite::combine(1, suite::combine(1, x_before, beta, transposed), 1, copy(z));
  suite::Vector product = suite::times(A_before.data(), N, N, x_expected);
  product = add_ranks(product, copy(u1), copy(v1), copy(u2), copy(v2), x_expected);
  const double error_w = suite::distance(copy(w), suite::combine(1, w_before, alpha, product));
  return suite::verdict(std::fmax(suite::distance(copy(x), x_expected), error_w));
}
