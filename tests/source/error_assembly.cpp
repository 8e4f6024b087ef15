// kopt-kernel: run
// kopt-error: kernel.cpp:5: run has inline assembly; put the assembly into a function that the kernel calls
void run(int n, double *x) {
  for (int i = 0; i < n; ++i) {
    __asm__ volatile("" : "+m"(x[i]));
    x[i] = 0;
  }
}
