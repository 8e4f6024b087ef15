// kopt-kernel: run
// kopt-error: kernel.cpp:4: parameter 'v' (std::vector<double> &) cannot be recorded and replayed: std::vector
#include <vector>
void run(std::vector<double> &v) { v[0] = 1; }
