#!/usr/bin/env bash
# Programs of examples/polybench: each configures, builds, passes its own check, extracts, and its MEP builds alone and reproduces what the program computed.
# Usage: suite_test.sh <KernelOpt_DIR> <scratch folder> <program>...
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernelopt=$1 scratch=$2
shift 2
source=$here/../../examples/polybench build=$scratch/build
unset KOPT_DISABLE KOPT_TRACE KOPT_TIME

fail() { echo "FAILED: $*" >&2; exit 1; }

rm -rf "$scratch"
mkdir -p "$scratch"
programs=$(IFS=';'; echo "$*")
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKernelOpt_DIR="$kernelopt" -DKOPT_VARIANTS_DIR="$scratch/variants" \
  -DPOLYBENCH_PROGRAMS="$programs" >"$scratch/configure.log" || { cat "$scratch/configure.log"; fail "configure"; }
cmake --build "$build"
ctest --test-dir "$build" -R '^polybench' --output-on-failure || fail "a program does not pass its own check"
for program in "$@"; do
  echo "== $program"
  cmake --build "$build" --target "kopt-extract-$program" "kopt-capture-$program"
  cmake --build "$build" --target "kopt-mep-$program"
  mep=$(dirname "$build/kopt/$program"/*/model.json)
  if grep -q '"kind": "opaque"' "$mep/model.json"; then fail "$program: something in the kernel is not modelled"; fi
  cmake -S "$mep" -B "$scratch/mep-$program" -G Ninja >"$scratch/mep-$program.log" || { cat "$scratch/mep-$program.log"; fail "$program: the MEP does not configure"; }
  cmake --build "$scratch/mep-$program"
  "$scratch/mep-$program/mep" || fail "$program: the MEP computes something else than the program"
  rm -rf "$scratch/mep-$program" "$mep/cases"
done
echo "passed"
