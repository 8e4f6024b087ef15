// Two fields that drive each other: each sweep needs its neighbour's result of the same step. A source feeds the first cell.
void waves_in_time(int steps, int n, double *e, double *h, const double *source) {
  for (int t = 0; t < steps; t++) {
    e[0] = source[t];
    for (int i = 1; i < n; i++) e[i] = e[i] - 0.5 * (h[i] - h[i - 1]);
    for (int i = 0; i < n - 1; i++) h[i] = h[i] - 0.75 * (e[i + 1] - e[i]);
  }
}
