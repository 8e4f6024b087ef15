#!/usr/bin/env bash
# What a call costs in the instrumented application once its recordings are made: a kernel of a few instructions is called a million
# times, alone and instrumented. Prints nanoseconds per call.
#   tests/benchmarks/capture.sh <build folder with bin/kopt and bin/kopt-source> [calls]
set -euo pipefail
build=$(realpath "${1:?build folder of KernelOpt}")
calls=${2:-1000000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cat >"$scratch/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(calls CXX)
find_package(KernelOpt REQUIRED)
add_executable(calls main.cpp)
kopt_optimize_target(calls KERNELS touch look)
END
cat >"$scratch/main.cpp" <<'END'
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
// `touch` has an extent that the model knows; what `look` may read is the recorder's to find out.
void touch(int n, double a, const double *x, double *y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
double look(const int *index, const double *x) { return x[index[0]]; }
int main(int, char **words) {
  const int calls = std::atoi(words[1]);
  std::vector<double> x(64, 1.0), y(64, 0.0);
  std::vector<int> index(64, 3);
  double sum = 0;
  const auto report = [&](const char *name, auto call) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < calls; ++k) call(k);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    std::printf("%-6s %8.1f ns per call\n", name, time.count() / calls);
  };
  report("touch", [&](int k) { touch(1 + k % 16, 0.5, x.data(), y.data()); });
  report("look", [&](int) { sum += look(index.data(), x.data()); });
  return sum + y[0] > 0 ? 0 : 1;
}
END
cmake -S "$scratch" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKernelOpt_DIR="$build" >"$scratch/log" ||
  { cat "$scratch/log"; exit 1; }
cmake --build "$scratch/build" --target calls kopt-probed-calls >"$scratch/log" || { tail -30 "$scratch/log"; exit 1; }
echo "the application"
"$scratch/build/calls" "$calls"
mkdir "$scratch/recordings"
echo "instrumented, with its recordings"
KOPT_CAPTURE_DIR="$scratch/recordings" ASAN_OPTIONS=detect_leaks=0 "$scratch/build/kopt/calls/capture/calls" "$calls"
cat "$scratch"/recordings/*.calls
