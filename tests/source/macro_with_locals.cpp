// Macros that use the kernel's own locals, or that are several statements, are written out; others and system macros stay.
// kopt-kernel: sweep
// kopt-expands: const double here = u[index - 1] + u[index + 1] - 2.0 * u[index];
// kopt-expands: v[index] = (here); sum += here
// kopt-expands: v[index] = HALF(v[index]);
#include <cassert> // +
#define LAPLACE u[index - 1] + u[index + 1] \
  - 2.0 * u[index]
#define PUT(to, value) \
  to = (value);        \
  sum += value
#define HALF(x) ((x) / 2) // +
double sweep(int n, const double *u, double *v) { // +
  double sum = 0;
  for (int i = 1; i + 1 < n; ++i) {
    const int index = i;
    const double here = LAPLACE;
    PUT(v[index],
        here);
    v[index] = HALF(v[index]);
    assert(index > 0);
  }
  return sum; // +
}
