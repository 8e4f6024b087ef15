#include "kernels.h"

#include <cstdio>
#include <vector>

int main() {
  const Shape shape{1000, 1030};
  std::vector<double> a(shape.rows * shape.columns), b(a.size()), c(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = 1.0 + i % 17, b[i] = 0.25 * (i % 11);
  for (int step = 0; step < 6; ++step) {
    transpose_add(shape, a.data(), b.data(), c.data());
    sweep(shape, a.data());
    a[step] += c[shape.columns * 7 + step];
  }
  double sum = 0;
  for (double value : c) sum += value;
  std::printf("%s sum %.6f corner %.9f\n", greeting(), sum, a.back());
}
