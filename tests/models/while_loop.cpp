// A while loop: not modelled.
int while_loop(int n, double *u) {
  int steps = 0;
  while (n > 1) {
    u[n - 1] *= 0.5;
    n /= 2;
    ++steps;
  }
  return steps;
}
