// kopt-kernel: run
// kopt-error: kernel.cpp:6: run calls leave, which calls longjmp, which jumps out of functions; return a value
#include <csetjmp>
static std::jmp_buf place;
static void leave(double v) {
  if (v < 0) std::longjmp(place, 1);
}
void run(int n, double *x) {
  for (int i = 0; i < n; ++i) leave(x[i]);
}
