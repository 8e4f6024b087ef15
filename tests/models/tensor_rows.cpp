// A product of each slice with one matrix, in floats, written with the sum on both sides and finished before the next row.
void tensor_rows(int nr, int nq, int np, float *a, const float *c, float *sum) {
  for (int r = 0; r < nr; r++)
    for (int q = 0; q < nq; q++) {
      for (int p = 0; p < np; p++) {
        sum[(r * nq + q) * np + p] = 0;
        for (int s = 0; s < np; s++)
          sum[(r * nq + q) * np + p] = sum[(r * nq + q) * np + p] + a[(r * nq + q) * np + s] * c[s * np + p];
      }
      for (int p = 0; p < np; p++) a[(r * nq + q) * np + p] = sum[(r * nq + q) * np + p];
    }
}
