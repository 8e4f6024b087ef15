// Vectors, a span and an array as parameters, a struct that holds vectors; columns first, against the grain of memory.
#include <array>
#include <span>
#include <vector>
struct Grid {
  int nx;
  std::vector<double> u, v;
};
double containers(const int &n, const std::vector<double> &a, std::vector<double> &b, std::span<const double> weights,
                  const std::array<double, 3> &shift, Grid &g) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) b[j * n + i] = 2 * a[j * n + i] + shift[1];
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k];
  for (int i = 0; i < g.nx; ++i) g.u[i] += g.v.at(i);
  return sum;
}
