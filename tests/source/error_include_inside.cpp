// kopt-kernel: run
// kopt-error: kernel.cpp:3: the kernel's text has an #include in it; move what is included out of the kernel
void run(int n, double *x) {
#include "body.inc"
}
//! file body.inc
x[0] = n;
