// The transposed matrix times a vector, down one column after the other.
void columns_times_vector(int rows, int columns, const double *A, const double *x, double *y) {
  for (int j = 0; j < columns; ++j) {
    const double half = 0.5 * columns;
    double sum = half;
    for (int i = 0; i < rows; ++i) {
      const double a = A[i * columns + j];
      sum += a * x[i];
    }
    y[j] = sum - half;
  }
}
