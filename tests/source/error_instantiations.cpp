// kopt-kernel: run
// kopt-error: the kernel 'run' may mean several functions; write one of them: run<double> (
// kopt-error: run<float> (
template <typename T> void run(int n, T *x) { x[0] = n; }
void use(double *x, float *y) { run(1, x); run(1, y); }
