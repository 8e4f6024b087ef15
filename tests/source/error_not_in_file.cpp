// kopt-kernel: other.cpp:run
// kopt-error: no source of target t defines the kernel 'other.cpp:run'
void run(int n, double *x) { x[0] = n; }
//! file other.cpp
void call() {}
