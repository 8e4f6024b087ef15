#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace ns {
int foo(int n);
}
void bar(int n, double *values);
int plain();

int main(int, char **argv) {
  std::vector<double> values(8, 1.0);
  std::thread(bar, 8, values.data()).join();
  std::printf("%d %g %d\n", ns::foo(std::atoi(argv[1])), values[7], plain());
}
