#include "propose/rules/machine.h"

#include <algorithm>
#include <unistd.h>

namespace kopt {

namespace {

enum class Width { Baseline, Avx, Avx512 };

Width width_of_this_processor() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return Width::Avx512;
  if (__builtin_cpu_supports("avx")) return Width::Avx;
#endif
  return Width::Baseline;
}

bool names_any(const std::string &architecture, const std::vector<std::string> &names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string &name) { return architecture.find(name) == 0; });
}

Width width_of_architecture(const std::string &name) {
  if (name == "native") return width_of_this_processor();
  if (names_any(name, {"skylake-avx512", "cascadelake", "icelake", "sapphirerapids", "x86-64-v4", "znver4", "znver5"}))
    return Width::Avx512;
  if (names_any(name, {"haswell", "broadwell", "skylake", "alderlake", "sandybridge", "ivybridge", "x86-64-v3", "znver"}))
    return Width::Avx;
  return Width::Baseline;
}

Width width_of(const std::vector<std::string> &arguments) {
  Width width = Width::Baseline; // the last option that says something counts
  for (const std::string &argument : arguments) {
    if (argument.starts_with("-march=")) width = width_of_architecture(argument.substr(7));
    if (argument == "-mavx512f") width = Width::Avx512;
    if (argument == "-mavx" || argument == "-mavx2") width = std::max(width, Width::Avx);
    if (argument == "-mno-avx512f") width = std::min(width, Width::Avx);
    if (argument == "-mno-avx" || argument == "-mno-avx2") width = Width::Baseline;
  }
  return width;
}

// Every processor with AVX2 that compilers know has FMA; of those with AVX alone, none.
bool fuses(const std::vector<std::string> &arguments, Width width) {
  const auto given = [&](const std::string &option) {
    return std::find(arguments.begin(), arguments.end(), option) != arguments.end();
  };
  const bool old = given("-march=sandybridge") || given("-march=ivybridge") || given("-mavx") || given("-mno-fma");
  return given("-mfma") || (width != Width::Baseline && !old);
}

long cache_size(int name, long otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

} // namespace

Machine machine_of(const Compile &compile) {
  Machine machine;
  const Width width = width_of(compile.arguments);
  machine.vector_bytes = width == Width::Avx512 ? 64 : width == Width::Avx ? 32 : 16;
  machine.fuses = fuses(compile.arguments, width);
  machine.vector_registers = width == Width::Avx512 ? 32 : 16;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  machine.l1_bytes = cache_size(_SC_LEVEL1_DCACHE_SIZE, machine.l1_bytes);
  machine.l2_bytes = cache_size(_SC_LEVEL2_CACHE_SIZE, machine.l2_bytes);
#endif
  return machine;
}

} // namespace kopt
