// An instantiation of a static member template, inside its class.
// kopt-kernel: Ops::run<float>
// kopt-leaves: n x
struct Ops { // +
  template <typename T> static void run(int n, T *x) { // +
    for (int i = 0; i < n; ++i) x[i] = x[i] * T(2);
  }
};
void use(float *x, double *y) { Ops::run(1, x); Ops::run(1, y); } // -
