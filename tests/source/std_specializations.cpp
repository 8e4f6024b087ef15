// The project's own specializations of library templates, which only the library looks for.
// kopt-kernel: run
#include <functional> // +
#include <limits> // +
#include <tuple>
struct Half { float v; }; // +
template <> struct std::numeric_limits<Half> { static constexpr float largest = 65504; }; // +
struct Key { int v; }; // +
namespace std {
template <> struct less<Key> { bool operator()(const Key &a, const Key &b) const { return b.v < a.v; } }; // +
template <> struct hash<Key> { size_t operator()(const Key &k) const { return size_t(k.v); } }; // -
} // namespace std
struct Pair { double a, b; }; // +
template <> struct std::tuple_size<Pair> : std::integral_constant<std::size_t, 2> {}; // +
template <std::size_t I> struct std::tuple_element<I, Pair> { using type = double; }; // +
template <std::size_t I> double get(const Pair &p) { return I == 0 ? p.b : p.a; } // +
template <typename T, typename C = std::less<T>> const T &smaller(const T &a, const T &b) { return C()(b, a) ? b : a; } // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) {
    const auto [first, second] = Pair{x[i], 1};
    x[i] = first + second + smaller(Key{1}, Key{2}).v + std::numeric_limits<Half>::largest;
  }
}
