// Comparisons that the compiler writes: <=> by default, == by default, rewritten and reversed ones; designated initializers.
// kopt-kernel: run
#include <compare> // +
#include <initializer_list> // +
struct Version { // +
  int major = 0, minor = 0;
  auto operator<=>(const Version &) const = default;
};
struct Name { // +
  int v;
  bool operator==(const Name &) const = default;
};
struct Meters { double v; }; // +
inline bool operator==(const Meters &a, double b) { return a.v == b; } // +
inline bool operator<(const Meters &a, double b) { return a.v < b; } // -
static double sum(std::initializer_list<double> l) { // +
  double s = 0;
  for (const double v : l) s += v;
  return s;
}
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i)
    x[i] = sum({x[i], 1}) + (Version{.major = i} < Version{.minor = 1}) + (Name{1} != Name{i}) + (1.0 != Meters{x[i]});
}
