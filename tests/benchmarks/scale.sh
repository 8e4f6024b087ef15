#!/usr/bin/env bash
# How extraction grows: a generated target of many sources with one kernel named, then with many. Prints what each phase took.
# Usage: scale.sh <KernelOpt build folder> [sources, 500] [kernels, 100] [scratch folder]
set -euo pipefail
kernelopt=$(cd "$1" && pwd) sources=${2:-500} kernels=${3:-100}
scratch=${4:-$(mktemp -d)}
[[ -n ${4:-} ]] || trap 'rm -rf "$scratch"' EXIT
source=$scratch/app build=$scratch/build

# A tenth of the sources have kernels; the others are what a real target is full of. Each is about 60 kB.
generate() {
  rm -rf "$source" "$build"
  mkdir -p "$source"
  local filler k
  filler=$(for ((k = 0; k < 700; ++k)); do
    echo "static inline double helper_$k(double x, int n) { double y = x; for (int i = 0; i < n; ++i) y += $k * y; return y; }"
  done)
  { echo "#include <vector>"; echo "#include <string>"; echo "#include <map>"; echo "struct Shape { int rows, columns; };"; } >"$source/common.h"
  for ((k = 0; k < sources; ++k)); do
    printf '#include "common.h"\n%s\ndouble part_%d(double x) { return helper_0(x, %d); }\n' "$filler" "$k" "$k" >"$source/part_$k.cpp"
  done
  local homes=$((sources / 10 > 0 ? sources / 10 : 1))
  for ((k = 0; k < kernels; ++k)); do
    cat >>"$source/part_$((k % homes)).cpp" <<CPP
void kernel_$k(const Shape &shape, const double *a, double *b) {
  for (int column = 0; column < shape.columns; ++column)
    for (int row = 0; row < shape.rows; ++row) b[row * shape.columns + column] += $k * a[row * shape.columns + column];
}
CPP
  done
  echo "int main() {}" >"$source/main.cpp"
  {
    echo "cmake_minimum_required(VERSION 3.25)"
    echo "project(scale CXX)"
    echo "find_package(KernelOpt REQUIRED)"
    echo "file(GLOB sources \"*.cpp\")"
    echo "add_executable(app \${sources})"
    echo "kopt_optimize_target(app KERNELS \${KERNELS})"
  } >"$source/CMakeLists.txt"
}

# extract <title> <kernels, separated by ;>
extract() {
  cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKernelOpt_DIR="$kernelopt" "-DKERNELS=$2" >"$scratch/log"
  local spec=$build/kopt/app/spec.json
  rm -f "$build"/kopt/app/*/extraction.json
  echo "== $1"
  "$kernelopt/bin/kopt-source" extract --timing --spec "$spec"
  echo "-- again, with nothing changed"
  "$kernelopt/bin/kopt-source" extract --timing --spec "$spec"
}

generate
extract "$sources sources, one kernel" kernel_0
all=$(for ((k = 0; k < kernels; ++k)); do printf 'kernel_%d;' "$k"; done)
extract "$sources sources, $kernels kernels in $((sources / 10 > 0 ? sources / 10 : 1)) of them" "${all%;}"
