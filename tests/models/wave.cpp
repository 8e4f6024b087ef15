// Three dimensions, addressed by hand, loops in the worst order.
void wave(int nx, int ny, int nz, const float *p, float *q) {
  for (int x = 1; x < nx - 1; ++x)
    for (int y = 0; y < ny; ++y)
      for (int z = 1; z < nz; ++z)
        q[(z * ny + y) * nx + x] = p[(z * ny + y) * nx + x - 1] + 0.5f * (p[(z * ny + y) * nx + x + 1] - p[((z - 1) * ny + y) * nx + x]);
}
