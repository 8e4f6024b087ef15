// kopt-kernel: Sums::run
// kopt-error: Sums::run is a member of a class template, which cannot be a kernel; make it a function template of its own
template <typename T> struct Sums {
  static void run(int n, T *x) { x[n] = 0; }
};
void use(double *x) { Sums<double>::run(1, x); }
