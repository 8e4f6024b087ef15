// kopt-kernel: run
// kopt-error: its rows, std::vector<double, std::allocator<double>>, lie anywhere in memory; let the caller pass data() and size() of one vector
#include <vector>
double run(const std::vector<std::vector<double>> &v) { return v[0][0]; }
