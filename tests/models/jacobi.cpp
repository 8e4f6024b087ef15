// Steps in time, each of two sweeps over rows: a band of rows may go through all steps if it moves back by two rows a step.
void jacobi(int steps, int n, int m, double *u, double *v) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        v[i * m + j] = 0.2 * (u[i * m + j] + u[i * m + j - 1] + u[i * m + j + 1] + u[(i + 1) * m + j] + u[(i - 1) * m + j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) u[i * m + j] = v[i * m + j];
  }
}
