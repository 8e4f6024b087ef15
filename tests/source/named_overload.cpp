// An overload named with const on the other side, a typedef's own type, an array for a pointer, short names of types, and
// through an alias of its namespace.
// kopt-kernel: h::put(Grid const&, double const[], double*, unsigned)
// kopt-leaves: g.nx u v times
namespace heat {
struct Grid { // +
  int nx;
};
typedef double real;
void put(const Grid &g, const real *u, real *v, unsigned int times = 1) { // +
  for (int i = 0; i < g.nx; ++i) v[i] = u[i] * times;
}
void put(const Grid &g, const float *u, float *v, unsigned int times) { v[g.nx] = u[times]; } // -
} // namespace heat
namespace h = heat;
