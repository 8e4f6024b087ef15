// kopt-kernel: foo
// kopt-error: no source of target t defines the kernel 'foo'; write its qualified name
void bar(int n, double *x) {
  for (int i = 0; i < n; ++i) x[i] = 0;
}
