#include "core/openmp.h"

#include <algorithm>
#include <cstdlib>
#include <sched.h>

namespace kopt {

bool uses_openmp(const std::vector<std::string> &arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string &argument) { return argument == "-fopenmp" || argument.starts_with("-fopenmp="); });
}

int openmp_threads(const std::vector<std::string> &arguments) {
  if (!uses_openmp(arguments)) return 1;
  const char *given = std::getenv("OMP_NUM_THREADS"); // perhaps a list, for nested teams: the first number counts
  if (const long number = given ? std::strtol(given, nullptr, 10) : 0; number > 0)
    return static_cast<int>(std::min(number, 1024L));
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? std::max(1, CPU_COUNT(&allowed)) : 1;
}

} // namespace kopt
