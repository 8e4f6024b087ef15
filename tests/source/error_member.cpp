// kopt-kernel: S::run
// kopt-error: kernel.cpp:5: S::run is a member function, which cannot be a kernel yet; put the code in a free function
struct S { void run(int n); int v; };

void S::run(int n) { v = n; }
