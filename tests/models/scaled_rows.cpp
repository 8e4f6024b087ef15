// Matrix-vector product by columns: accumulates into the whole result again and again.
void scaled_rows(int rows, int columns, const double *A, const double *x, double *y) {
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) y[i] += A[i * columns + j] * x[j];
}
