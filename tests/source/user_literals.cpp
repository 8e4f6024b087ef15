// Literal operators: cooked, raw, of a template; in a namespace that a using-directive opens.
// kopt-kernel: run
namespace units {
constexpr double operator""_km(long double v) { return static_cast<double>(v) * 1000; } // +
constexpr double operator""_km(unsigned long long v) { return static_cast<double>(v) * 1000; } // -
constexpr int operator""_count(const char *s) { return s[0] - '0'; } // +
template <char... C> constexpr int operator""_digits() { return sizeof...(C); } // +
constexpr double operator""_mi(long double v) { return static_cast<double>(v) * 1609; } // -
} // namespace units
using namespace units; // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] += 1.5_km + 7_count + 12345_digits;
}
