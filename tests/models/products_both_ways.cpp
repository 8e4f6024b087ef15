// Two accumulations into one element, over the upper triangle and a strip of it: the columns' bounds follow the row.
void products_both_ways(int n, int m, double scale, double *C, const double *A, const double *B) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = 1; k < m; k++) {
        C[i * n + j] += scale * A[k * n + i] * B[k * n + j];
        C[i * n + j] -= (A[k * n + j] + scale) * B[k * n + i];
      }
}
