// Matrix product as dot products, accumulated in a local.
void matmul_dot(int rows, int inner, int columns, const double *A, const double *B, double *C) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      double sum = 0;
      for (int k = 0; k < inner; ++k) sum += A[i * inner + k] * B[k * columns + j];
      C[i * columns + j] = sum;
    }
}
