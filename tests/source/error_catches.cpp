// kopt-kernel: run
// kopt-error: kernel.cpp:6: run catches exceptions; put what is inside the try block into a kernel of its own
static double checked(double v) { return v < 0 ? throw 1 : v; }
void run(int n, double *x) {
  for (int i = 0; i < n; ++i)
    try {
      x[i] = checked(x[i]);
    } catch (int) {
      x[i] = 0;
    }
}
