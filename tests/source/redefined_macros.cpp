// Macros that change their meaning between the things that use them; push_macro and pop_macro; one that is only undefined.
// kopt-kernel: run
#define STEP 1 // +
static double first(double v) { return v + STEP; } // +
#undef STEP // +
#define STEP 2 // +
static double second(double v) { return v + STEP; } // +
#pragma push_macro("STEP") // +
#undef STEP // +
#define STEP 3 // +
static double third(double v) { return v + STEP; } // +
#pragma pop_macro("STEP") // +
#define NAME(x) x##_a
static double v_a(double v) { return v; } // -
#undef NAME // +
#define NAME(x) x##_b // +
static double v_b(double v) { return v; } // +
void run(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = first(x[i]) + second(x[i]) + third(x[i]) + STEP + NAME(v)(x[i]);
}
