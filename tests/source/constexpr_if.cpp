// if constexpr: what the branch not taken needs is not instantiated, yet its names must be there; a trait decides.
// kopt-kernel: run
#include <type_traits> // +
template <typename T> struct is_exact : std::false_type {}; // +
template <> struct is_exact<int> : std::true_type {}; // +
template <typename T> inline constexpr bool is_exact_v = is_exact<T>::value; // +
inline double slow(double v) { return v + 1; } // +
inline double fast(double v) { return v + 2; } // +
inline double never(double v) { return v + 3; } // -
template <typename T> double step(T v) { // +
  if constexpr (is_exact_v<T>)
    return slow(v);
  else
    return fast(v);
}
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = step(x[i]);
}
