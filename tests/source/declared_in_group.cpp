// The kernel is declared in one line with others.
// kopt-kernel: one
// kopt-leaves: n x
void one(int n, double *x), two(int n, double *x); // +
void two(int n, double *x) { one(n, x); } // -
void one(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] += 1;
}
