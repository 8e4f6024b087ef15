// A static member function defined inside its class.
// kopt-kernel: Sums::run
// kopt-leaves: n x return
struct Sums { // +
  static double once(double v) { return v; } // +
  static double run(int n, const double *x) { // +
    double s = 0;
    for (int i = 0; i < n; ++i) s += x[i];
    return s;
  }
};
double use(const double *x) { return Sums::run(1, x); } // -
