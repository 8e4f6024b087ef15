// Vector types of the compiler, intrinsics, statement expressions, __int128, long double.
// kopt-kernel: run
// kopt-flags: -mavx2
#include <immintrin.h> // +
typedef double v4 __attribute__((vector_size(32))); // +
typedef float v8 __attribute__((vector_size(32))); // -
using wide = unsigned __int128; // +
#define MAX(a, b) ({ auto a_ = (a); auto b_ = (b); a_ > b_ ? a_ : b_; }) // +
static v4 twice(v4 v) { return v + v; } // +
static inline __m256d thrice(__m256d v) { return _mm256_mul_pd(v, _mm256_set1_pd(3)); } // +
static double high(wide w) { return static_cast<double>(w >> 64); } // +
static double larger(double a, double b) { return MAX(a, b); } // +
static long double exact(long double v) { return v; } // +
void run(int n, double *x) { // +
  for (int i = 0; i + 4 <= n; i += 4) {
    const v4 v = twice(*reinterpret_cast<const v4 *>(x + i));
    _mm256_storeu_pd(x + i, thrice(_mm256_loadu_pd(x + i)));
    x[i] = larger(v[0], high(wide(i))) + static_cast<double>(exact(1));
  }
}
