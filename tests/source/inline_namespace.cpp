// Inline namespaces need not be named; the unnamed one inside neither.
// kopt-kernel: lib::go
namespace lib {
inline namespace v2 {
namespace {
double c() { return 1; } // +
void go(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = c();
}
} // namespace
} // namespace v2
} // namespace lib
void call(double *x) { lib::go(1, x); } // -
