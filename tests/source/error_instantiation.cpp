// kopt-kernel: run<int>
// kopt-error: the kernel 'run<int>' is a function template that target t does not instantiate so
// kopt-error: write an instantiation that there is: run<double> (
template <typename T> void run(int n, T *x) { x[0] = n; }
void use(double *x, float *y) { run(1, x); run(1, y); }
