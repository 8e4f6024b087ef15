// kopt-kernel: run
// kopt-error: kernel.cpp:7: the kernel may change the size of a container that its caller passes: std::swap
#include <utility>
#include <vector>
struct Fields { std::vector<double> u, v; };
void run(int n, Fields &f) {
  for (int t = 0; t < 3; ++t, std::swap(f.u, f.v))
    for (int i = 0; i < n; ++i) f.v[i] = f.u[i];
}
