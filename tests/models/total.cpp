// The sum over a grid, far apart innermost.
double total(int nx, int ny, const double *u) {
  double sum = 0.0;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j) sum += u[j * nx + i];
  return sum;
}
