// Symmetric product over the lower triangle.
void triangular(int n, int m, const double *A, double *C) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = 0.0;
      for (int k = 0; k < m; k++) sum += A[i * m + k] * A[j * m + k];
      C[i * n + j] = sum;
    }
  }
}
