// kopt-kernel: run
// kopt-error: kernel.cpp:3: the source does not compile for Clang: unknown type name 'Missing'
void run(int n, double *x) { Missing m; x[0] = n; }
