#!/usr/bin/env bash
# `kopt tune` is killed at every change it makes to its journal and to the store, and at random moments; the same command then
# comes to the evaluations and the store of an undisturbed one. Verdicts are recorded once and replayed, so that they are the same.
# Usage: kill_test.sh <KernelOpt_DIR> <scratch folder> <kill_at.so>
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernelopt=$1 scratch=$2 kill_at=$3
source=$scratch/app build=$scratch/build
kopt=$kernelopt/bin/kopt
work=$build/kopt/app
spec=$work/spec.json
export KOPT_BUDGET_EVALUATIONS=8 KOPT_BUDGET_SECONDS=60 KOPT_JUDGE_SECONDS=0.5 KOPT_MIN_SPEEDUP=1.0 KOPT_SEED=7

fail() { echo "FAILED: $*" >&2; exit 1; }
step() { echo "== $*"; }

rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$here/app" "$source"
cat >>"$source/kernels.cpp" <<'CPP'

void add_columns(const Shape &shape, const double *a, double *c) {
  for (int column = 0; column < shape.columns; ++column)
    for (int row = 0; row < shape.rows; ++row) c[at(shape, row, column)] += a[at(shape, row, column)];
}
CPP
cat >"$source/cases.json" <<'JSON'
{"format": "kopt-cases", "version": 1, "kernel": "transpose_add",
 "cases": [{"name": "a", "arguments": {"shape.rows": 500, "shape.columns": 520,
   "a": {"extent": 260000}, "b": {"extent": 260000}, "c": {"extent": 260000}}}]}
JSON
sed 's/transpose_add/add_columns/; s/ "b": {"extent": 260000},//' "$source/cases.json" >"$source/more.json"
sed -i 's|^kopt_optimize_target.*|kopt_optimize_target(app KERNELS transpose_add add_columns CASES cases.json more.json)|' "$source/CMakeLists.txt"

step "record verdicts"
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKernelOpt_DIR="$kernelopt" >"$scratch/configure.log"
cmake --build "$build" --target kopt-tune >"$scratch/record.log" 2>&1 || { cat "$scratch/record.log"; fail "tuning"; }
cp "$work/journal.sqlite" "$scratch/recorded.sqlite"

# A command without anything to start from.
begin_anew() { rm -rf "$source/kopt" "$work"/journal.sqlite*; }
command=("$kopt" tune --spec "$spec" --replay-verdicts "$scratch/recorded.sqlite")
tune() { "${command[@]}"; }
# Every evaluation of every run, and the store, without dates.
result() {
  "$kopt" report --spec "$spec" --all --json | sed 's/"started": "[^"]*"/"started": ""/'
  (cd "$source" && find kopt -type f -o -type d | sort | while read -r file; do
    echo "$file"
    [[ -d $file ]] || sed 's/"date": "[^"]*"/"date": ""/' "$file"
  done)
}
# What a build may meet after the kill: an entry as it was or as it shall be, nothing in between.
usable_store() {
  local kernel code
  for kernel in transpose_add add_columns; do
    code=0
    "$kopt" gate fresh --spec "$spec" --kernel "$kernel" >"$scratch/gate.log" 2>&1 || code=$?
    [[ $code == 0 || $code == 77 ]] || { cat "$scratch/gate.log"; fail "the store cannot be used after $1"; }
  done
}
go_on() {
  tune >"$scratch/tune.log" 2>&1 || { cat "$scratch/tune.log"; fail "the command cannot go on after $1"; }
  result >"$scratch/found.txt"
  diff "$scratch/expected.txt" "$scratch/found.txt" >"$scratch/diff.txt" || { head -40 "$scratch/diff.txt"; fail "another result after $1"; }
}

step "undisturbed"
begin_anew
export KOPT_KILL_BELOW=$work/journal.sqlite:$source/kopt
KOPT_KILL_COUNT=$scratch/count LD_PRELOAD=$kill_at tune >"$scratch/tune.log" 2>&1 || { cat "$scratch/tune.log"; fail "undisturbed"; }
result >"$scratch/expected.txt"
grep -q '"thoroughness": "full"' "$scratch/expected.txt" || fail "nothing was judged in full: nothing to accept"
changes=$(<"$scratch/count")
echo "$changes changes of files"
((changes > 50)) || fail "changes were not seen"

step "killed at each change of a file"
every=${KOPT_KILL_EVERY:-3}
for ((at = 1; at <= changes; at += every)); do
  begin_anew
  code=0
  KOPT_KILL_AT=$at KOPT_KILL_TEAR=$((at % 2)) LD_PRELOAD=$kill_at tune >"$scratch/tune.log" 2>&1 || code=$?
  [[ $code == 137 ]] || fail "not killed at change $at: exit code $code"
  usable_store "a kill at change $at"
  go_on "a kill at change $at"
done

step "killed while an entry of the store is replaced"
cp -r "$source/kopt" "$scratch/store"
sed -i 's/"speedup": [0-9.]*/"speedup": 1.01/' "$scratch"/store/app/*/*/record.json
for at in 1 2 3 4 5 6 7 8 9 10 11 12; do
  begin_anew
  cp -r "$scratch/store" "$source/kopt"
  code=0
  KOPT_KILL_BELOW=$source/kopt/app KOPT_KILL_AT=$at LD_PRELOAD=$kill_at tune >"$scratch/tune.log" 2>&1 || code=$?
  usable_store "a kill at change $at of the store"
  go_on "a kill at change $at of the store"
  [[ $code == 137 ]] || break
done

step "killed at random moments, again and again"
for round in 1 2 3 4 5; do
  begin_anew
  for again in 1 2 3; do
    "${command[@]}" >"$scratch/tune.log" 2>&1 & # itself, not a shell around it
    sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
    kill -9 $! 2>/dev/null || true
    wait $! 2>/dev/null || true
  done
  go_on "kills at random moments (round $round)"
done
echo "passed"
