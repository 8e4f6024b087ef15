// Three sweeps a step, the first over one row only, in one dimension and with a source.
void waves(int steps, int n, double *e, double *h, const double *source) {
  for (int t = 1; t < steps; t++) {
    e[n - 1] = source[t];
    for (int i = 1; i < n - 1; i++) e[i] = e[i] - 0.5 * (h[i] - h[i - 1]);
    for (int i = 0; i < n - 1; i++) h[i] = h[i] - 0.7 * (e[i + 1] - e[i]);
  }
}
