// kopt-kernel: run
// kopt-error: kernel.cpp:4: the kernel uses the global 'field', which cannot be recorded and replayed: the container lives longer than a call
#include <vector>
static std::vector<double> field;
void run(int n) { field[0] = n; }
