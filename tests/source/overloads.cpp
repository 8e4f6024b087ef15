// One overload of several; the helper overload that is called, by its argument's type.
// kopt-kernel: foo(int,float*)
// kopt-leaves: n x
struct Wide { // +
  float v;
};
static float get(Wide w) { return w.v; } // +
static float get(double v) { return static_cast<float>(v); } // -
void foo(int n, double *x) { x[0] = n; } // -
void foo(int n, float *x) { // +
  for (int i = 0; i < n; ++i) x[i] = get(Wide{1});
}
void foo(int n) { (void)n; } // -
double use() { return get(1.0); } // -
