// Arrays with two dimensions, wrong loop order.
constexpr int N = 512, M = 256;
void two_dimensional(double A[][M], double B[][N], double (*C)[N]) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      for (int k = 0; k < M; ++k) C[i][j] += A[i][k] * B[k][j];
}
