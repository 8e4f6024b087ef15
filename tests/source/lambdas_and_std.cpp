// Lambdas, algorithms and containers inside the body.
// kopt-kernel: use
#include <algorithm> // +
#include <array> // +
#include <map> // -
struct Less { // +
  bool operator()(double a, double b) const { return a < b; }
};
void use(int n, double *x) { // +
  std::array<double, 4> a{};
  const auto f = [&](double v) { return v + a[0]; };
  std::transform(x, x + n, x, f);
  std::sort(x, x + n, Less());
}
