// Two sources have a static function of one name.
// kopt-kernel: kernel.cpp:sum
// kopt-linkage: internal
// kopt-leaves: n x return
static double sum(int n, const double *x) { // +
  double s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
double first(int n, const double *x) { return sum(n, x); } // -
//! file other.cpp
static double sum(int n, const double *x) { return n + x[0]; } // -
double second(int n, const double *x) { return sum(n, x); }
