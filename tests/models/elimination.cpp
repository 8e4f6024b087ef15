// Elimination without pivots: the loops of every step begin at that step.
void elimination(int n, double *a) {
  for (int k = 0; k < n; k++) {
    for (int j = k + 1; j < n; j++) a[k * n + j] = a[k * n + j] * 0.125;
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k] * a[k * n + j];
  }
}
