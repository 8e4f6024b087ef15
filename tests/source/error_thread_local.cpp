// kopt-kernel: run
// kopt-error: kernel.cpp:5: run uses the thread_local variable 'scratch'; pass what the kernel needs of it as a parameter
static thread_local double scratch[8];
void run(int n, double *x) {
  for (int i = 0; i < n; ++i) x[i] = scratch[i % 8];
}
