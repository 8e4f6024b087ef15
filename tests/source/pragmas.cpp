// Pragmas between and inside of declarations: diagnostics, layout, optimization, hints, _Pragma by a macro.
// kopt-kernel: run
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
static double spare() { return 1; } // -
#pragma GCC diagnostic pop
#pragma pack(push, 1) // +
struct Tight { char c; double d; }; // +
#pragma pack(pop) // +
struct Loose { char c; double d; }; // +
#define UNROLL _Pragma("GCC unroll 4") // +
static double sum(const Tight *t, int n) { // +
  double s = 0;
#pragma GCC ivdep
  for (int i = 0; i < n; ++i) s += t[i].d;
  return s;
}
#pragma GCC push_options // +
#pragma GCC optimize("O1") // +
static double exact(double v) { return v; } // +
#pragma GCC pop_options // +
void run(int n, double *x, const Tight *t) { // +
  UNROLL
  for (int i = 0; i < n; ++i) x[i] = exact(sum(t, n)) + sizeof(Loose);
}
