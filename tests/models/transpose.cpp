// Transposes a matrix: one side is always far.
void transpose(int rows, int columns, const double *A, double *B) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) B[j * rows + i] = A[i * columns + j];
}
