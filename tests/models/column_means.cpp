// Means of the columns, one column after the other.
void column_means(int rows, int columns, const double *data, double *mean) {
  for (int j = 0; j < columns; ++j) {
    mean[j] = 0.0;
    for (int i = 0; i < rows; ++i) mean[j] += data[i * columns + j];
    mean[j] /= rows;
  }
}
