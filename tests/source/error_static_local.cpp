// kopt-kernel: run
// kopt-error: run keeps state in the static local variable 'calls'
int run(int n) { static int calls = 0; return calls += n; }
