#!/usr/bin/env bash
# Kernels of every kind that has a name of its own: instantiations, an overload, same-named statics, a header's, members.
# Usage: places_test.sh <KernelOpt_DIR> <scratch folder>
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernelopt=$1 scratch=$2
source=$scratch/places build=$scratch/build
export KOPT_BUDGET_EVALUATIONS=4 KOPT_BUDGET_SECONDS=30 KOPT_JUDGE_SECONDS=3 KOPT_MIN_SPEEDUP=1.0
unset KOPT_DISABLE KOPT_TRACE KOPT_TIME

fail() { echo "FAILED: $*" >&2; exit 1; }

rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$here/places" "$source"
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKernelOpt_DIR="$kernelopt" >"$scratch/configure.log"
cmake --build "$build"
"$build/places" >"$scratch/original.txt"

cmake --build "$build" --target kopt-tune | tee "$scratch/tune.log"
grep -q "8 of 8 kernels accepted" "$scratch/tune.log" || fail "not every kernel was accepted"
cmake --build "$build" 2>&1 | tee "$scratch/rebuild.log"
if grep -q "warning" "$scratch/rebuild.log"; then fail "the build warns"; fi
KOPT_TRACE=1 "$build/places" >"$scratch/tuned.txt" 2>"$scratch/trace.txt"
cat "$scratch/trace.txt"
for slug in mesh.blend-float mesh.blend-double add-int-double-const-double rows-cpp-shift columns-cpp-shift mesh.damp mesh.Sums.into Decay.operator; do
  grep -q "$slug .*: .* 0 with guards" "$scratch/trace.txt" || fail "the variant of $slug did not run"
done
# damp is called from three sources, blend<int> has no site.
[[ $(grep -c "mesh.blend-" "$scratch/trace.txt") -ge 2 ]] || fail "not both instantiations ran"
cmp "$scratch/original.txt" "$scratch/tuned.txt" || fail "the application's output changed"
KOPT_DISABLE=1 "$build/places" | cmp - "$scratch/original.txt" || fail "the original's output changed"
ctest --test-dir "$build" -R 'kopt\.places\..*\.(fresh|build|correct|app)' --output-on-failure || fail "the gate"

# An edit of the header's kernel makes it stale in each of its sources, and nothing else.
sed -i 's/0\.875/0.75/' "$source/include/mesh.h"
cmake --build "$build" 2>&1 | tee "$scratch/rebuild.log"
[[ $(grep -c "warning: kopt builds the original of mesh::damp" "$scratch/rebuild.log") == 3 ]] || fail "not one warning a source"
if KOPT_TRACE=1 "$build/places" 2>&1 | grep -q "mesh.damp"; then fail "a stale variant ran"; fi
echo "passed"
