// An #if in the kernel's own signature, and around it.
// kopt-kernel: run
// kopt-flags: -DWIDE=1
// kopt-macros: WIDE=1
// kopt-leaves: n x
#ifdef WIDE // +
void run(long n, double *x) { // +
#else // +
void run(int n, float *x) { // +
#endif // +
#if defined(WIDE) && WIDE > 1
  x[0] = 0;
#endif
  for (long i = 0; i < n; ++i) x[i] *= 2;
}
