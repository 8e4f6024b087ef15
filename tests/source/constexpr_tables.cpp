// Tables that the compiler computes: by a constexpr function, by a lambda called at once, by a template; a consteval helper.
// kopt-kernel: use
#include <array> // +
#include <cstddef>
constexpr int kSize = 8; // +
constexpr std::array<double, kSize> squares() { // +
  std::array<double, kSize> t{};
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = static_cast<double>(i * i);
  return t;
}
inline constexpr auto kSquares = squares(); // +
static constexpr auto kOdd = [] { // +
  std::array<int, 4> t{};
  for (int i = 0; i < 4; ++i) t[static_cast<std::size_t>(i)] = 2 * i + 1;
  return t;
}();
template <int N> struct Table { // +
  double v[N];
  constexpr Table() : v() { for (int i = 0; i < N; ++i) v[i] = i; }
};
constexpr Table<5> kRamp; // +
consteval int three() { return 3; } // +
constexpr Table<6> kSpare; // -
void use(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = kSquares[i % 8] + kOdd[i % 4] + kRamp.v[i % 5] + three();
}
