// s = A^T r, q = A p
#include "suite.h"

#define NX 3800
#define NY 3600

void kernel_bicg(int nx, int ny, double A[NX][NY], double s[NY], double q[NX], double p[NY], double r[NX]) {
  for (int i = 0; i < ny; i++) s[i] = 0;
  for (int i = 0; i < nx; i++) {
    q[i] = 0;
    for (int j = 0; j < ny; j++) {
      s[j] = s[j] + r[i] * A[i][j];
      q[i] = q[i] + A[i][j] * p[j];
    }
  }
}

static double A[NX][NY], s[NY], q[NX], p[NY], r[NX];

int main() {
  suite::fill(&A[0][0], static_cast<std::size_t>(NX) * NY, -1, 1, 1);
  suite::fill(p, NY, -1, 1, 2);
  suite::fill(r, NX, -1, 1, 3);
  kernel_bicg(NX, NY, A, s, q, p, r);

  suite::print("s", s, NY);
  suite::print("q", q, NX);
  const double error_s =
      suite::distance(suite::Vector(s, s + NY), suite::transposed_times(&A[0][0], NX, NY, suite::Vector(r, r + NX)));
  const double error_q = suite::distance(suite::Vector(q, q + NX), suite::times(&A[0][0], NX, NY, suite::Vector(p, p + NY)));
  return suite::verdict(std::fmax(error_s, error_q));
}
