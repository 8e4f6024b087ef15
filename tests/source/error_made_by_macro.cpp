// kopt-kernel: run
// kopt-error: kernel.cpp:4: the kernel's definition shares its text with other declarations or is made by a macro; write the kernel out
#define DEFINE(name) void name(int n, double *x) { x[0] = n; }
DEFINE(run)
