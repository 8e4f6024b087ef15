// kopt-kernel: run
// kopt-error: kernel.cpp:6: run calls report, which calls std::basic_ostream<char>::operator<<, which reads or writes files; move input and output to the caller
#include <iostream>
static void report(double v) {
  if (v != v) std::cerr << "not a number\n";
  std::cout << v;
}
void run(int n, double *x) {
  for (int i = 0; i < n; ++i) report(x[i]);
}
