// Steps with a condition inside, and a scalar of one iteration.
void guarded_steps(int steps, int n, double *u, double *v) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      double left = 0.0;
      if (i > 0) left = u[i - 1];
      v[i] = left + 0.5 * u[i];
    }
    for (int i = 0; i < n; i++) u[i] = v[i] - 1.0;
  }
}
