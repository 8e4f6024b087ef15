// kopt-kernel: run
// kopt-error: kernel.cpp:6: run jumps with goto; write the jump as a loop, or put it into a function of its own
void run(int n, double *x) {
  int i = 0;
  if (n <= 0) return;
again:
  x[i] = i;
  if (++i < n) goto again;
}
