// kopt-kernel: run
// kopt-error: kernel.cpp:8: the kernel may change the size of a container that its caller passes: std::vector<double>::push_back
// kopt-error: let the caller size the container
#include <vector>
static void fill(std::vector<double> &v, int n) {
  v[0] = n;
  auto &same = v;
  for (int i = 0; i < n; ++i) same.push_back(i);
}
void run(int n, std::vector<double> &v) {
  v[0] = 1;
  fill(v, n);
}
