// Macros that decorate: export and inline marks, a template head, a closing mark without a semicolon, an empty macro.
// kopt-kernel: run
#define API_EXPORT __attribute__((visibility("default"))) // +
#define FORCE_INLINE inline __attribute__((always_inline)) // +
#define TEMPLATE_REAL template <typename Real> // +
#define NOTHING // +
#define DISALLOW_COPY(T) T(const T &) = delete; // +
#define DECLARE_TAG(name) struct name {}; // +
#define END_OF(x)
FORCE_INLINE static double one(double v) { return v; } // +
TEMPLATE_REAL FORCE_INLINE Real two(Real v) { return 2 * v; } // +
NOTHING struct Tool { // +
  Tool() = default;
  DISALLOW_COPY(Tool)
  double v = 1;
};
DECLARE_TAG(Fast) // +
DECLARE_TAG(Slow) // -
END_OF(tags)
static double of(Fast) { return 3; } // +
API_EXPORT void run(int n, double *x) { // +
  const Tool tool;
  for (int i = 0; i < n; ++i) x[i] = one(two(x[i])) + tool.v + of(Fast());
}
