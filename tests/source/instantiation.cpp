// One instantiation of a template with a type and a number; the others share its text.
// kopt-kernel: ns::axpy<ns::real, 4>
// kopt-leaves: n a x y
namespace ns {
typedef float real; // -
struct Unused { int a; }; // -
template <typename T> T twice(T v) { return v + v; } // +
template <typename T, int N> // +
void axpy(int n, T a, const T *x, T *y) { // +
  for (int i = 0; i < n; ++i) y[i] = a * twice(x[i]) + y[i] + T(N);
}
void use(float *x, double *y) { // -
  axpy<real, 4>(1, 2.0f, x, x);
  axpy<double, 4>(1, 2.0, y, y);
}
} // namespace ns
