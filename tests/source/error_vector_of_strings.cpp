// kopt-kernel: run
// kopt-error: std::basic_string
// kopt-error: has its own way to be copied or destroyed
#include <string>
#include <vector>
int run(const std::vector<std::string> &v) { return v[0][0]; }
