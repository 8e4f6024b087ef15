// Diffusion with the index in a helper, strides inside a struct.
struct Grid {
  int nx, ny;
  double dx;
};
static inline int idx(const Grid &g, int i, int j) { return j * g.nx + i; }
namespace heat {
void diffuse(const Grid &g, const double *u, double *next, double dt) {
  const double c = dt / (g.dx * g.dx);
  for (int i = 1; i < g.nx - 1; ++i) {
    for (int j = 1; j < g.ny - 1; ++j) {
      const double lap = u[idx(g, i - 1, j)] + u[idx(g, i + 1, j)] + u[idx(g, i, j - 1)] + u[idx(g, i, j + 1)] - 4.0 * u[idx(g, i, j)];
      next[idx(g, i, j)] = u[idx(g, i, j)] + c * lap;
    }
  }
}
} // namespace heat
