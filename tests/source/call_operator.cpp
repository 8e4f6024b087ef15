// A call operator of a class without state.
// kopt-kernel: Twice::operator()
// kopt-leaves: n x
struct Twice { // +
  void operator()(int n, double *x) const { // +
    for (int i = 0; i < n; ++i) x[i] *= 2;
  }
};
void use(double *x) { Twice()(1, x); } // -
