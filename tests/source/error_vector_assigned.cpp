// kopt-kernel: run
// kopt-error: kernel.cpp:4: the kernel may change the size of a container that its caller passes
#include <vector>
void run(const std::vector<double> &a, std::vector<double> &b) { b = a; }
