// Everything without external linkage; a type that only the unnamed namespace knows.
// kopt-kernel: fill
// kopt-linkage: internal
// kopt-leaves: p.value n x
namespace {
struct Pair { // +
  double value;
};
double half(double v) { return v / 2; } // +
void fill(Pair p, int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = half(p.value);
}
} // namespace
void use(double *x) { fill({1}, 1, x); } // -
