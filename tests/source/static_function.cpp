// A static kernel with a static helper; the helper is defined after its use.
// kopt-kernel: sum
// kopt-linkage: internal
// kopt-leaves: n x return
static double weight(int i); // +
static double sum(int n, const double *x) { // +
  double s = 0;
  for (int i = 0; i < n; ++i) s += weight(i) * x[i];
  return s;
}
static double weight(int i) { return i; } // +
double call(const double *x) { return sum(3, x); } // -
