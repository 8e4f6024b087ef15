// Parameter packs: fold expressions, recursion, sizeof..., index sequences, a pack of types.
// kopt-kernel: run
#include <cstddef> // +
#include <utility> // +
#include <tuple> // -
template <typename... T> constexpr double total(T... v) { return (0.0 + ... + v); } // +
template <typename T> constexpr T largest(T v) { return v; } // +
template <typename T, typename... R> constexpr T largest(T a, R... r) { const T b = largest<T>(r...); return a > b ? a : b; } // +
inline double kTable[3] = {1, 2, 3}; // +
template <std::size_t... I> double picked(const double *p, std::index_sequence<I...>) { return total(p[I]...); } // +
template <typename... T> struct Types { static constexpr std::size_t count = sizeof...(T); }; // +
template <typename... T> constexpr double product(T... v) { return (1.0 * ... * v); } // -
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i)
    x[i] = picked(kTable, std::make_index_sequence<3>()) + largest(x[i], 1.0, 2.0) + Types<int, double>::count;
}
