// kopt-kernel: run
// kopt-error: kernel.cpp:4: the kernel needs the function 'far_away', which another source defines
// kopt-error: define it in the kernel's source, or inline in the header
double far_away(double v);
void run(int n, double *x) { x[0] = far_away(n); }
