// Alternatives for compilers: the closure must suit the one that compiles it, which is not the one that found it.
// kopt-kernel: run
#if defined(__clang__) // +
#define INLINE inline // +
#elif defined(__GNUC__) // +
#define INLINE inline __attribute__((always_inline)) // +
#else // +
#define INLINE // +
#endif
namespace tables {
static const double table[] = { // +
#include "table.inc"
};
} // namespace tables
INLINE double shifted(double x) { return x + tables::table[1]; } // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = shifted(x[i]);
}
//! file table.inc
1.0, 2.0, // +
