// A macro makes the head; the braces are written out.
// kopt-kernel: twice
// kopt-leaves: n x
#define KERNEL(name) void name(int n, double *x) // +
KERNEL(twice) { // +
  for (int i = 0; i < n; ++i) x[i] *= 2;
}
KERNEL(thrice) { x[n] *= 3; } // -
