// kopt-kernel: run
// kopt-error: kernel.cpp:5: run calls rand, whose answer is another one in each call; pass the value as a parameter
#include <cstdlib>
void run(int n, double *x) {
  for (int i = 0; i < n; ++i) x[i] = std::rand();
}
