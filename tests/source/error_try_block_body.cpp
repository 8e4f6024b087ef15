// kopt-kernel: run
// kopt-error: kernel.cpp:3: run catches exceptions; put what is inside the try block into a kernel of its own
void run(int n, double *x) try { x[0] = n; } catch (...) {}
