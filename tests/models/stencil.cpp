// Five-point stencil, the contiguous direction innermost.
void stencil(int nx, int ny, double c, const double *u, double *next) {
  for (int j = 1; j < ny - 1; ++j) {
    for (int i = 1; i < nx - 1; ++i) {
      next[j * nx + i] =
          u[j * nx + i] + c * (u[j * nx + i - 1] + u[j * nx + i + 1] + u[(j - 1) * nx + i] + u[(j + 1) * nx + i] - 4.0 * u[j * nx + i]);
    }
  }
}
