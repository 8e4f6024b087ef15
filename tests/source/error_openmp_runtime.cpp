// kopt-kernel: run
// kopt-flags: -fopenmp
// kopt-error: kernel.cpp:6: run calls omp_get_thread_num, whose answer depends on the OpenMP region of the caller; pass the value as a parameter
#include <omp.h>
void run(int n, double *x) {
  const int me = omp_get_thread_num();
  for (int i = 0; i < n; ++i) x[i] = me;
}
