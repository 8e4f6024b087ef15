// Symbols that are renamed, weak, aliased or put into a section.
// kopt-kernel: run
extern "C" double plain_name(double v) __asm__("kopt_test_renamed"); // +
extern "C" double plain_name(double v) { return v * 2; } // +
__attribute__((weak)) double optional(double v) { return v; } // +
__attribute__((section(".text.hot"))) double hot(double v) { return v + 1; } // +
double cold(double v) __attribute__((cold)); // -
double cold(double v) { return v; } // -
static const double table[2] __asm__("kopt_test_table") = {1, 2}; // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = plain_name(x[i]) + optional(x[i]) + hot(x[i]) + table[i & 1];
}
