// kopt-kernel: run
// kopt-error: kernel.cpp:5: run calls app::next, which keeps state in the static local variable 'seed'; move it out of the function
namespace app {
static double next() {
  static unsigned seed = 1;
  return seed = seed * 1103515245u + 12345u;
}
static double scaled(double v) { return v * next(); }
} // namespace app
void run(int n, double *x) {
  for (int i = 0; i < n; ++i) x[i] = app::scaled(x[i]);
}
