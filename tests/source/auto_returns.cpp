// Deduced return types: auto, decltype(auto), trailing, of a template, of a lambda kept in a constant.
// kopt-kernel: run
struct Pair { // +
  double a, b;
};
static auto both(double v) { return Pair{v, 2 * v}; } // +
static decltype(auto) first(Pair &p) { return (p.a); } // +
template <typename T> auto halved(T v) -> decltype(v / 2) { return v / 2; } // +
template <typename F> auto apply(F f, double v) { return f(v); } // +
inline constexpr auto kSquare = [](double v) { return v * v; }; // +
inline constexpr auto kCube = [](double v) { return v * v * v; }; // -
static auto unused(double v) { return Pair{v, v}; } // -
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) {
    auto p = both(x[i]);
    first(p) += 1;
    x[i] = halved(p.a) + apply(kSquare, p.b);
  }
}
