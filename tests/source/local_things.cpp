// What a kernel declares itself: classes, enumerations, constants, type names, static tables, functions.
// kopt-kernel: run
struct Outside { double v; }; // +
constexpr double kScale = 3; // +
inline double helper(double v) { return v; } // +
struct Unused { double v; }; // -
void run(int n, double *x) { // +
  struct Local { // +
    Outside o;
    double get() const { return helper(o.v) * kScale; }
  };
  enum { kFirst, kSecond };
  using Row = double[4];
  static const double table[] = {1, kScale, kSecond};
  static constexpr int width = sizeof(table) / sizeof(table[0]);
  double declared_here(double);
  Row row = {};
  for (int i = 0; i < n; ++i) x[i] = Local{{row[i % 4]}}.get() + table[i % width];
}
