// kopt-kernel: run
// kopt-error: kernel.cpp:4: parameter 'v' (std::vector<double>) cannot be recorded and replayed: it is a copy, made anew for each call; take it as const std::vector<double> &
#include <vector>
double run(std::vector<double> v) { return v[0]; }
