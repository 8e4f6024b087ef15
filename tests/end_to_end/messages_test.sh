#!/usr/bin/env bash
# What a user does wrong ends with one clear message and a non-zero exit code.
# Usage: messages_test.sh <KernelOpt_DIR> <scratch folder>
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernelopt=$1 scratch=$2
source=$scratch/app build=$scratch/build
export KOPT_BUDGET_EVALUATIONS=2 KOPT_BUDGET_SECONDS=5

rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$here/app" "$source"
cat >>"$source/kernels.cpp" <<'CPP'

void scale(int n, double *a) {
  for (int i = 0; i < n; ++i) a[i] *= 2;
}
void scale(int n, float *a) {
  for (int i = 0; i < n; ++i) a[i] *= 2;
}
CPP

fail() { echo "FAILED: $*" >&2; cat "$scratch/log" >&2; exit 1; }

# configure <arguments of kopt_optimize_target> [cmake options...]
configure() {
  rm -rf "$build"
  sed -i "s|^kopt_optimize_target.*|kopt_optimize_target(app KERNELS $1)|" "$source/CMakeLists.txt"
  shift
  cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKernelOpt_DIR="$kernelopt" "$@" >"$scratch/configure.log"
}

# expect <exit code> <text> <command...>: it ends so, and says the text in exactly one message.
expect() {
  local code=$1 text=$2 found=0
  shift 2
  echo "== expecting: $text"
  "$@" >"$scratch/log" 2>&1 || found=$?
  [[ $found == "$code" ]] || fail "exit code $found where $code is expected"
  [[ $(grep -c "error: .*$text" "$scratch/log") == 1 ]] || fail "not exactly one message with: $text"
}

configure transpose_ad
expect 1 "no source of target app defines the kernel 'transpose_ad'; did you mean transpose_add" cmake --build "$build" --target kopt-tune

configure scale
expect 1 "may mean several functions; write one of them: scale(int,double\*).*scale(int,float\*)" cmake --build "$build" --target kopt-tune
cmake --build "$build" >/dev/null # the application itself builds all the same

cases() { echo "{\"format\": \"kopt-cases\", \"version\": $1, \"cases\": [$2" >"$source/cases.json"; }
cases 1 "{"
configure "transpose_add CASES cases.json"
expect 1 "cases.json: broken JSON: parse error at line" cmake --build "$build" --target kopt-tune
cases 1 '{"name": "a", "arguments": {"shape.rows": 10, "shape.columns": 10, "a": {}, "b": {}}}]}'
expect 1 "cases.json: case a: argument c: it has no value" cmake --build "$build" --target kopt-tune
cases 1 '{"name": "a", "arguments": {"shape.rows": 10, "shape.columns": 10, "a": {"extent": 5}, "b": {}, "c": {}}}]}'
expect 1 "the original kernel reads past the end of a" cmake --build "$build" --target kopt-tune
cases 3 ']}'
expect 1 "version 3 is newer than the version 2" cmake --build "$build" --target kopt-tune

configure "transpose_add VARIANTS_DIR /proc/kopt"
expect 1 "accepted variants cannot be stored" cmake --build "$build" --target kopt-tune

ln -s "$(command -v g++)" "$scratch/cxx"
configure transpose_add -DCMAKE_CXX_COMPILER="$scratch/cxx"
cmake --build "$build" --target kopt-capture >"$scratch/log" 2>&1 || fail "capture"
rm "$scratch/cxx"
expect 1 "the compiler $scratch/cxx cannot be run" "$kernelopt/bin/kopt" tune --spec "$build/kopt/app/spec.json"

KOPT_BUDGET_SECONDS=soon expect 2 "KOPT_BUDGET_SECONDS in the environment: soon is not a value of budget_seconds" "$kernelopt/bin/kopt" tune --spec "$build/kopt/app/spec.json"
expect 2 "no kernel nothing in kopt_optimize_target(app)" "$kernelopt/bin/kopt" tune --spec "$build/kopt/app/spec.json" --kernel nothing
KOPT_STRATEGY=magic expect 2 "magic is not a value of strategy; give sweep" "$kernelopt/bin/kopt" tune --spec "$build/kopt/app/spec.json"
exec 9>"$build/kopt/app/tune.lock"
flock 9
expect 2 "another kopt is at work here" "$kernelopt/bin/kopt" tune --spec "$build/kopt/app/spec.json"
exec 9>&-

# A kernel that the application does not call; a record that cannot be read.
configure "transpose_add RUN app"
sed -i 's/^    transpose_add/    if (step > 100) transpose_add/' "$source/main.cpp"
expect 1 "transpose_add: no case: the application never called it" cmake --build "$build" --target kopt-capture
record=$source/kopt/app/transpose_add/$(uname -m)/record.json
mkdir -p "$(dirname "$record")"
echo '{"format": ' >"$record"
cmake --build "$build" >"$scratch/log" 2>&1 || fail "a broken record breaks the build"
expect 1 "record.json: broken JSON" "$kernelopt/bin/kopt" validate --spec "$build/kopt/app/spec.json"
rm -r "$source/kopt"

# A kernel that can no longer be extracted leaves no model of what it was.
sed -i 's/transpose_add(const Shape &shape,/transpose_add(const Shape \&shape, double **rows,/' "$source/kernels.cpp"
expect 1 "parameter 'rows' (double \*\*) cannot be recorded" "$kernelopt/bin/kopt" extract --spec "$build/kopt/app/spec.json"
[[ ! -e $build/kopt/app/transpose_add/model.json ]] || fail "a stale model was left"
echo "passed"
