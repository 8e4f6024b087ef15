// kopt-kernel: scale_by_2
// kopt-error: the kernel's body is made by the macro DEFINE, and nothing can be put into it
// kopt-error: have the macro make the head alone and write the { } out
#define KERNELS(X) X(2) X(3)
#define DEFINE(by) void scale_by_##by(int n, double *x) { for (int i = 0; i < n; ++i) x[i] *= by; }
KERNELS(DEFINE)
