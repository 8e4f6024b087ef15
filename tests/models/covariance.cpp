// The upper triangle of a product, mirrored into the lower one.
void covariance(int m, int n, const double *data, double *symmat) {
  for (int j1 = 0; j1 < m; j1++)
    for (int j2 = j1; j2 < m; j2++) {
      symmat[j1 * m + j2] = 0.0;
      for (int i = 0; i < n; i++) symmat[j1 * m + j2] += data[i * m + j1] * data[i * m + j2];
      symmat[j2 * m + j1] = symmat[j1 * m + j2];
    }
}
