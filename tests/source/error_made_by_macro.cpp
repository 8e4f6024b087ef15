// kopt-kernel: run
// kopt-error: kernel.cpp:4: the kernel's body is made by the macro DEFINE, and nothing can be put into it; have the macro make the head alone
#define DEFINE(name) void name(int n, double *x) { x[0] = n; }
DEFINE(run)
