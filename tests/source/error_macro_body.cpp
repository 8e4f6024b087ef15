// kopt-kernel: twice
// kopt-error: the kernel's body is made by the macro DEFINE, and nothing can be put into it
// kopt-error: have the macro make the head alone and write the { } out: DEFINE(...) { ... }
#define DEFINE(name, by) void name(int n, double *x) { for (int i = 0; i < n; ++i) x[i] *= by; }
DEFINE(twice, 2)
