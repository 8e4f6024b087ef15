// Greatest difference of two fields.
#include <cmath>
double max_difference(int n, const double *a, const double *b) {
  double worst = 0.0;
  for (int i = 0; i < n; ++i) {
    const double d = std::fabs(a[i] - b[i]);
    if (d > worst) worst = d;
  }
  return worst;
}
