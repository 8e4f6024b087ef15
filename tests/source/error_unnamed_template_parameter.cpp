// kopt-kernel: run
// kopt-error: run<double, 3> has a template parameter without a name; give it a name
template <typename T, int> void run(int n, T *x) { x[0] = n; }
void use(double *x) { run<double, 3>(1, x); }
