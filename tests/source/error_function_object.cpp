// kopt-kernel: run
// kopt-error: parameter 'f' (const std::function<double (double)> &) cannot be recorded and replayed
// kopt-error: write one kernel for each function
#include <functional>
void run(int n, double *x, const std::function<double(double)> &f) {
  for (int i = 0; i < n; ++i) x[i] = f(x[i]);
}
