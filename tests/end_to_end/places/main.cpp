#include "mesh.h"

#include <cstdio>

namespace mesh {

template <typename T> void blend(int n, T weight, const T *a, T *b) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      T mixed = weight * a[i * n + j];
      b[i * n + j] = mixed + b[i * n + j];
    }
}

void Sums::into(int n, const double *u, double *v) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) v[i * n + j] += u[i * n + j];
}

} // namespace mesh

void add(int n, const double *a, double *b) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) b[i * n + j] += 2 * a[i * n + j];
}

void add(int n, const float *a, float *b) {
  for (int i = 0; i < n * n; ++i) b[i] += a[i];
}

struct Decay {
  void operator()(int n, const double *u, double *v) const {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) v[i * n + j] = 0.5 * u[i * n + j];
  }
};

static double a[size * size], b[size * size];
static float fa[size * size], fb[size * size];
static int ia[4] = {1, 2, 3, 4}, ib[4];

int main() {
  for (int i = 0; i < size * size; ++i) fa[i] = static_cast<float>(a[i] = (i * 37 % 101) / 101.0);
  for (int step = 0; step < 4; ++step) {
    mesh::blend(size, 0.25, a, b);
    mesh::blend(size, 0.5f, fa, fb);
    mesh::blend(2, 3, ia, ib); // an instantiation that stays as it is
    add(size, a, b);
    add(size, fa, fb);
    mesh::damp(size, b);
    mesh::Sums::into(size, a, b);
    by_rows(size, a);
    by_columns(size, b);
    Decay()(size, b, a);
  }
  double sum = 0;
  for (int i = 0; i < size * size; ++i) sum += a[i] + b[i] + fb[i];
  std::printf("%.17g %d\n", sum, ib[3]);
}
