// kopt-kernel: run
// kopt-error: kernel.cpp:3: the kernel returns a pointer or reference; return the value, or write it through a parameter
double *run(int n, double *x) { return x + n; }
