// kopt-kernel: foo(long)
// kopt-error: did you mean foo(int) (
void foo(int n) { (void)n; }
