// Versioned inline namespaces: the type lives in the inner one, a helper is found by argument-dependent lookup, one is reopened.
// kopt-kernel: lib::v2::apply
namespace lib {
namespace v1 { struct Scale { double f; }; inline double by(Scale s) { return -s.f; } } // -
inline namespace v2 {
struct Scale { double f; }; // +
inline double by(Scale s) { return s.f; } // +
} // namespace v2
} // namespace lib
namespace lib {
inline namespace v2 {
void apply(int n, double *x, Scale s) { // +
  for (int i = 0; i < n; ++i) x[i] *= by(s);
}
} // namespace v2
} // namespace lib
