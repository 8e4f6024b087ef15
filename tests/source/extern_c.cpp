// extern "C", with and without braces.
// kopt-kernel: c_kernel
extern "C" double outside(double v) { return v; } // +
extern "C" {
double inside(double v) { return v; } // +
double spare(double v) { return v; } // -
void c_kernel(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = outside(inside(x[i]));
}
}
