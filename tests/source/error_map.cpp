// kopt-kernel: run
// kopt-error: kernel.cpp:4: parameter 'm' (std::map<int, double> &) cannot be recorded and replayed: std::map
#include <map>
void run(std::map<int, double> &m) { m[0] = 1; }
