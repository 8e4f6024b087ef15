// kopt-kernel: S::run
// kopt-error: S::run is a virtual function, which cannot be a kernel yet
struct S { virtual void run(int n) { v = n; } int v; };
