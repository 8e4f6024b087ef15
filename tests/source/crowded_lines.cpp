// Several declarations on one line, comments between them, stray semicolons, a declaration over many lines.
// kopt-kernel: run
static double a(double v) { return v + 1; } static double b(double v) { return v + 2; } static double c(double v) { return v; }
; ;
struct P { double v; }; ; /* between */ static const int k = 2; // after
static /* return */ double // of d
d /* name */ (
    double v /* argument */
) { // +
  return v; /* } */
}
/* static double e() { return 0; } */
void run(int n, double *x) // +
{
  for (int i = 0; i < n; ++i) x[i] = a(x[i]) + c(P{d(x[i])}.v) + k;
}
