// Three nests that read one array along its rows and along its columns: integer programs for an order of all of them at once
// have solutions with large coefficients that take isl forever.
#include <algorithm>

double read_both_ways(int n, int m, int p, const double *x, double *z, double *w) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < p; ++k)
      for (int j = 0; j < m; ++j) w[k * m + j] = std::min(w[k * m + j], 0.125 * x[j * n + i]);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) z[i] += 0.125 * x[i * n + j] + 0.125 * x[j * n + i];
  double total = 0;
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) total = std::max(total, x[j * n + i]);
  return total;
}
