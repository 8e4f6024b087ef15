// A nine-point convolution.
#include "suite.h"

void kernel_2dconv(int ni, int nj, const double *A, double *B) {
  const double c11 = +0.2, c21 = +0.5, c31 = -0.8;
  const double c12 = -0.3, c22 = +0.6, c32 = -0.9;
  const double c13 = +0.4, c23 = +0.7, c33 = +0.1;
  for (int i = 1; i < ni - 1; ++i)
    for (int j = 1; j < nj - 1; ++j)
      B[i * nj + j] = c11 * A[(i - 1) * nj + (j - 1)] + c12 * A[i * nj + (j - 1)] + c13 * A[(i + 1) * nj + (j - 1)] +
                      c21 * A[(i - 1) * nj + j] + c22 * A[i * nj + j] + c23 * A[(i + 1) * nj + j] +
                      c31 * A[(i - 1) * nj + (j + 1)] + c32 * A[i * nj + (j + 1)] + c33 * A[(i + 1) * nj + (j + 1)];
}

int main() {
  const int ni = 4000, nj = 4096;
  const std::size_t count = static_cast<std::size_t>(ni) * nj;
  const suite::Vector A = suite::random_vector(count, 0, 1, 1);
  suite::Vector B(count, 0.0);
  kernel_2dconv(ni, nj, A.data(), B.data());

  suite::print("B", B.data(), count);
  const double weights[3][3] = {{0.2, 0.5, -0.8}, {-0.3, 0.6, -0.9}, {0.4, 0.7, 0.1}};
  suite::Vector found, expected;
  for (int i = 1; i < ni - 1; i += 37)
    for (int j = 1; j < nj - 1; j += 41) {
      double sum = 0;
      for (int di = -1; di <= 1; ++di)
        for (int dj = -1; dj <= 1; ++dj) sum += weights[di + 1][dj + 1] * A[static_cast<std::size_t>(i + di) * nj + j + dj];
      found.push_back(B[static_cast<std::size_t>(i) * nj + j]);
      expected.push_back(sum);
    }
  return suite::verdict(suite::distance(found, expected));
}
