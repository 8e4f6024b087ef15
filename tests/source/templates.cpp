// Function and class templates with what their instantiations call; specializations travel with them.
// kopt-kernel: use
template <typename T> T zero() { return T(0); } // +
template <> int zero<int>() { return 0; } // +
namespace lib {
struct Tag {}; // +
inline double convert(Tag, double v) { return v; } // +
inline double convert(int, double v) { return -v; }
inline double deep(double v) { return v * 4; } // +
template <typename P> struct Policy { // +
  static double run(double v) { return convert(P(), v) + deep(v); }
};
template <> struct Policy<int> { // +
  static double run(double v) { return v; }
};
template <typename P> struct Spare {}; // -
} // namespace lib
template <typename F> double twice(F f, double v) { return f(f(v)); } // +
void use(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = twice(lib::Policy<lib::Tag>::run, x[i]) + zero<double>();
}
