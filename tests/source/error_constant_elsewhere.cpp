// kopt-kernel: run
// kopt-error: kernel.cpp:4: the kernel needs the constant 'kScale', which another source defines
// kopt-error: define it in the kernel's source, or inline in the header that declares it
extern const double kScale;
void run(int n, double *x) { x[0] = n * kScale; }
//! file other.cpp
extern const double kScale = 3;
