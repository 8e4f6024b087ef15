// #if around and inside what is needed; the branch that is not taken stays out.
// kopt-kernel: work
// kopt-flags: -DUSE_FLOAT
// kopt-macros: USE_FLOAT=1
#define LEVEL 2 // +
#ifdef USE_FLOAT // +
typedef float real; // +
#else
typedef double real; // -
#endif
#if LEVEL > 1 && !defined(NEVER) // +
static real bonus(real v) { return v + 1; } // +
static real nothing(real v) { return v; } // -
#elif LEVEL > 0
static real bonus(real v) { return v; } // -
#endif
#if 0
int gone; // -
#endif
void work(int n, real *x) { // +
  for (int i = 0; i < n; ++i) {
#if LEVEL > 5
    x[i] = 0;
#else
    x[i] = bonus(x[i]);
#endif
  }
}
