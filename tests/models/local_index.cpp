// The subscript is kept in a local inside the loops.
void local_index(int rows, int columns, const double *A, double *B) {
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) {
      const int at = i * columns + j;
      B[at] = A[at] * A[at] + 1.0;
    }
}
