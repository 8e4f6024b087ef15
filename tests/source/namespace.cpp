// A kernel in nested namespaces, a reopened namespace, and neighbours it does not need.
// kopt-kernel: a::b::scale
// kopt-leaves: n x
namespace a {
inline double factor() { return 2.0; } // +
inline double unused() { return 3.0; } // -
namespace b {
void other(int n, double *x) { x[0] = n; } // -
void scale(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] *= factor();
}
} // namespace b
} // namespace a
namespace a {
double after() { return 1.0; } // -
} // namespace a
