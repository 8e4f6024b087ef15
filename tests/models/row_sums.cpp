// Matrix-vector product and the sum of each row, accumulated in a local.
void row_sums(int rows, int columns, const double *A, const double *x, double *y, double *sums) {
  for (int i = 0; i < rows; ++i) {
    const double *row = A + i * columns;
    double sum = 0.0;
    y[i] = 0.0;
    for (int j = 0; j < columns; ++j) {
      y[i] += row[j] * x[j];
      sum += row[j];
    }
    sums[i] = sum;
  }
}
