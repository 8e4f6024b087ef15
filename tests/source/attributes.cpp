// Attributes, inline assembly names and alignment before and after declarations.
// kopt-kernel: use
[[gnu::always_inline]] inline double quick(double v) { return v; } // +
__attribute__((noinline)) static double slow(double v) { return v; } // +
alignas(64) static double table[8] __attribute__((used)) = {1, 2}; // +
struct __attribute__((packed)) Tight { // +
  char c;
  double d;
} __attribute__((aligned(16)));
[[maybe_unused]] static void spare() {} // -
[[gnu::hot]] void use(int n, double *x, const Tight *t) { // +
  for (int i = 0; i < n; ++i) x[i] = quick(slow(x[i])) + table[i % 8] + t[i].d;
}
