// Template arguments that are values: of a class type, deduced, a reference to a global, an enumerator.
// kopt-kernel: run
// kopt-leaves: n x shared
struct Stencil { // +
  int width;
  double weight;
};
constexpr Stencil kFive{5, 0.2}; // +
constexpr Stencil kSeven{7, 0.1}; // -
enum class Edge { Open, Closed }; // +
static double shared = 4; // +
template <Stencil S> double apply(double v) { return v * S.weight * S.width; } // +
template <auto V> constexpr auto twice = V + V; // +
template <double &G> double scaled(double v) { return v * G; } // +
template <Edge E> struct Boundary { static double at(double v) { return E == Edge::Open ? v : 0; } }; // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i)
    x[i] = apply<kFive>(x[i]) + apply<Stencil{3, 0.3}>(x[i]) + twice<4> + scaled<shared>(1) + Boundary<Edge::Open>::at(x[i]);
}
