#!/usr/bin/env bash
# What can go wrong with the machine under `kopt tune` is said with a remedy, loses nothing that was recorded, and is survived.
# Usage: faults_test.sh <KernelOpt_DIR> <scratch folder> <no_locks.so>
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kernelopt=$1 scratch=$2 no_locks=$3
source=$scratch/app build=$scratch/build
kopt=$kernelopt/bin/kopt
work=$build/kopt/app
spec=$work/spec.json
export KOPT_BUDGET_EVALUATIONS=6 KOPT_BUDGET_SECONDS=60 KOPT_JUDGE_SECONDS=0.5 KOPT_MIN_SPEEDUP=1.0

fail() { echo "FAILED: $*" >&2; [[ ! -f $scratch/log ]] || tail -40 "$scratch/log" >&2; exit 1; }
# expect <exit code> <text> <command...>
expect() {
  local code=$1 text=$2 found=0
  shift 2
  echo "== expecting: $text"
  "$@" >"$scratch/log" 2>&1 || found=$?
  [[ $found == "$code" ]] || fail "exit code $found where $code is expected"
  grep -q "$text" "$scratch/log" || fail "no message with: $text"
}
evaluations() { "$kopt" report --spec "$spec" --all --json | grep -c '"thoroughness"' || true; }

mountpoint -q "$scratch/small" 2>/dev/null && umount "$scratch/small"
rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$here/app" "$source"
# The second kernel cannot be extracted: the first must be tuned all the same, and the reason be told at the end.
cat >>"$source/kernels.cpp" <<'CPP'

void through_pointers(int n, double **rows) {
  for (int i = 0; i < n; ++i) rows[i][0] *= 2;
}
CPP
cat >"$source/cases.json" <<'JSON'
{"format": "kopt-cases", "version": 1, "kernel": "transpose_add",
 "cases": [{"name": "a", "arguments": {"shape.rows": 500, "shape.columns": 520,
   "a": {"extent": 260000}, "b": {"extent": 260000}, "c": {"extent": 260000}}}]}
JSON
configure() {
  sed -i "s|^kopt_optimize_target.*|kopt_optimize_target(app KERNELS $1)|" "$source/CMakeLists.txt"
  cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKernelOpt_DIR="$kernelopt" >"$scratch/configure.log"
}

configure "transpose_add through_pointers CASES cases.json"
expect 1 "through_pointers.*not tuned" cmake --build "$build" --target kopt-tune
grep -q "error: .*parameter 'rows' (double \*\*) cannot be recorded" "$scratch/log" || fail "the reason is not told"
grep -q "transpose_add .*accepted" "$scratch/log" || fail "one kernel that cannot be extracted stops the others"
expect 1 "parameter 'rows' (double \*\*) cannot be recorded" cmake --build "$build" --target kopt-extract
known=$(evaluations)
((known > 0)) || fail "nothing was recorded"
expect 1 "$known evaluations are known" "$kopt" tune --spec "$spec"
[[ $(evaluations) == "$known" ]] || fail "judged again"
sed -i 's/double \*\*rows/double *rows/; s/rows\[i\]\[0\]/rows[i]/' "$source/kernels.cpp"
sed 's/transpose_add/through_pointers/; s/"shape.rows": 500, "shape.columns": 520/"n": 1000/; s/"a": {"extent": 260000}, "b": {"extent": 260000}, "c"/"rows"/' \
  "$source/cases.json" >"$source/more.json"
configure "transpose_add through_pointers CASES cases.json more.json"
cmake --build "$build" --target kopt-extract >"$scratch/log" 2>&1 || fail "repaired, and still not extracted"

# From here on: one kernel, with a fresh journal each time.
configure "transpose_add CASES cases.json"
begin_anew() { rm -rf "$source/kopt" "$work"/journal.sqlite*; }
cmake --build "$build" --target kopt-extract >"$scratch/log" 2>&1 || fail "extraction"

begin_anew
echo "== Ctrl-C"
"$kopt" tune --spec "$spec" >"$scratch/log" 2>&1 &
for ((k = 0; k < 600; ++k)); do grep -q "\[1/" "$scratch/log" && break; sleep 0.1; done
kill -TERM $!
code=0
wait $! || code=$?
[[ $code == 143 ]] || fail "exit code $code after SIGTERM"
grep -q "the same command goes on from here" "$scratch/log" || fail "the interruption is not told"
known=$(evaluations)
((known > 0)) || fail "nothing was kept"
expect 0 "$known evaluations are known" "$kopt" tune --spec "$spec"

echo "== a broken journal"
head -c 5000 /dev/urandom >"$work/journal.sqlite"
rm -f "$work"/journal.sqlite-*
expect 0 "warning: .*it is now journal.sqlite.broken" "$kopt" tune --spec "$spec"

begin_anew
expect 0 "warning: .*its file system has no locks" env LD_PRELOAD="$no_locks" "$kopt" tune --spec "$spec"
(($(evaluations) > 0)) || fail "nothing was recorded without locks"

begin_anew
echo "== files that may not grow"
code=0
(ulimit -f 8 && exec "$kopt" tune --spec "$spec") >"$scratch/log" 2>&1 || code=$?
((code == 1 || code == 2)) || fail "exit code $code where the file size is limited"
grep -q "error: .*" "$scratch/log" || fail "not told"
expect 0 "accepted" "$kopt" tune --spec "$spec"

if [[ $EUID == 0 ]] && mkdir -p "$scratch/small" && mount -t tmpfs -o size=1m tmpfs "$scratch/small" 2>/dev/null; then
  trap 'umount "$scratch/small"' EXIT
  echo "== a full disk under the journal"
  begin_anew
  cp -r "$work" "$scratch/work"
  mv "$work/transpose_add" "$scratch/transpose_add"
  sed -i "s|\"work_dir\": \"[^\"]*\"|\"work_dir\": \"$scratch/small\"|" "$spec"
  "$kopt" tune --spec "$spec" >"$scratch/log" 2>&1 && fail "a MEP of megabytes fits into one" || code=$?
  [[ $code == 1 ]] || fail "exit code $code on a full disk"
  grep -q "No space left on device.*free some space" "$scratch/log" || fail "not told what to do"
  umount "$scratch/small"
  mount -t tmpfs -o size=64m tmpfs "$scratch/small"
  head -c 60M /dev/zero >"$scratch/small/ballast" || true
  "$kopt" tune --spec "$spec" >"$scratch/log" 2>&1 && true
  rm "$scratch/small/ballast"
  expect 0 "accepted" "$kopt" tune --spec "$spec"
  echo "== a build folder that cannot be written"
  mount -o remount,ro "$scratch/small"
  expect 2 "Read-only file system.*check the permissions" "$kopt" tune --spec "$spec"
  sed -i "s|\"work_dir\": \"[^\"]*\"|\"work_dir\": \"$work\"|" "$spec"
  mv "$scratch/transpose_add" "$work/transpose_add"
  mkdir -p "$source/kopt"
  mount --bind "$source/kopt" "$source/kopt"
  mount -o remount,ro,bind "$source/kopt"
  echo "== a store that cannot be written"
  expect 2 "accepted variants cannot be stored: .*Read-only file system" "$kopt" tune --spec "$spec"
  umount "$source/kopt"
else
  echo "note: no file system can be mounted here: full and read-only disks are tested in kopt_core_test and kopt_search_test alone"
fi

echo "== a variant that the application refuted"
expect 0 "accepted" "$kopt" tune --spec "$spec"
entry=$(dirname "$(find "$source/kopt" -name record.json)")
identity() { grep '"hash"\|"plan_hash"\|"KOPT_' "$1" | tail -n 8; }
identity "$entry/record.json" >"$scratch/refuted"
sed 's/"status": "[a-z]*"/"status": "rejected"/' "$entry/record.json" >"$entry/record.rejected.json"
rm "$entry/record.json"
"$kopt" tune --spec "$spec" >"$scratch/log" 2>&1 || fail "tuning after a rejection"
grep -q "1 refuted (refuted in the application" "$scratch/log" || fail "a refuted variant is judged again"
if [[ -f $entry/record.json ]]; then
  if identity "$entry/record.json" | cmp -s - "$scratch/refuted"; then fail "the refuted variant was accepted again"; fi
  grep -q '"refuted"' "$entry/record.json" || fail "the refutation was forgotten"
fi
echo "passed"
