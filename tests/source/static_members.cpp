// Static members of classes: constants in the class, inline, defined outside, of a base, and a static function.
// kopt-kernel: use
// kopt-leaves: n x Config::step
struct Base { // +
  static constexpr double scale = 2;
  static double times(double v) { return v * scale; }
};
struct Config : Base { // +
  static const int kOffset = 3;
  static const double kLate;
  inline static double step = 0.5;
  static constexpr double kTable[3] = {1, 2, 3};
  static double unused();
  static int counter;
};
const int Config::kOffset; // +
const double Config::kLate = 4; // +
double Config::unused() { return counter; } // -
int Config::counter = 0; // -
void use(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = Config::times(x[i]) + Config::kOffset + Config::kLate + Config::step + Config::kTable[i % 3];
}
