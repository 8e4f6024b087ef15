#!/usr/bin/env bash
# A static library used by an executable in another directory, the call made from a third, all under paths with spaces.
# Usage: library_test.sh <KernelOpt_DIR> <scratch folder>
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernelopt=$1 scratch="$2/with spaces"
source=$scratch/library build=$scratch/build
export KOPT_BUDGET_EVALUATIONS=4 KOPT_BUDGET_SECONDS=30 KOPT_JUDGE_SECONDS=3 KOPT_MIN_SPEEDUP=1.0
unset KOPT_DISABLE KOPT_TRACE KOPT_TIME

fail() { echo "FAILED: $*" >&2; exit 1; }

rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$here/library" "$source"
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKernelOpt_DIR="$kernelopt" >"$scratch/configure.log"
cmake --build "$build"
"$build/tool/tool" 3 >"$scratch/original.txt"

cmake --build "$build" --target kopt-tune | tee "$scratch/tune.log"
for kernel in blend norm accumulate; do
  grep -q "num::$kernel .*accepted" "$scratch/tune.log" || fail "num::$kernel was not accepted"
done
cmake --build "$build"
KOPT_TRACE=1 "$build/tool/tool" 3 >"$scratch/tuned.txt" 2>"$scratch/trace.txt"
for kernel in blend norm accumulate; do
  grep -q "num.$kernel .*: .* 0 with guards" "$scratch/trace.txt" || fail "the variant of num::$kernel did not run"
done
cmp "$scratch/original.txt" "$scratch/tuned.txt" || fail "the application's output changed"
KOPT_TIME="$scratch/time.jsonl" "$build/tool/tool" 3 >/dev/null
[[ $(grep -c '"variant_calls"' "$scratch/time.jsonl") == 3 ]] || fail "KOPT_TIME has not one line a kernel"
ctest --test-dir "$build" -R 'kopt\.num\..*\.(fresh|build|correct|app)' --output-on-failure || fail "the gate"
echo "passed"
