// OpenMP: whether a kernel's source is compiled with it, and how many threads its teams have.
#pragma once

#include <string>
#include <vector>

namespace kopt {

[[nodiscard]] bool uses_openmp(const std::vector<std::string> &arguments);

// As the runtime decides it: OMP_NUM_THREADS, else the processors this process may use. Without OpenMP 1.
[[nodiscard]] int openmp_threads(const std::vector<std::string> &arguments);

} // namespace kopt
