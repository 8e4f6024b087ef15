// kopt-kernel: run
// kopt-error: run is a function template, which cannot be a kernel yet
template <typename T> void run(int n, T *x) { x[0] = n; }
