// kopt-kernel: run
// kopt-error: std::vector<bool> keeps bits, not elements; use std::vector<char>
#include <vector>
int run(const std::vector<bool> &v) { return v[0]; }
