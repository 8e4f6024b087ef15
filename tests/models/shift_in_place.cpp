// Overlapping in-place update, far apart innermost: row j needs what row j - 1 of the next column was before.
void shift_in_place(int nx, int ny, double *u) {
  for (int i = 0; i < nx - 1; ++i)
    for (int j = 1; j < ny; ++j) u[j * nx + i] = 0.5 * u[(j - 1) * nx + i + 1];
}
