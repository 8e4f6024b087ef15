// kopt-kernel: Grid::run
// kopt-error: Grid::run uses the member 'n' of its object, which cannot be recorded
// kopt-error: pass it as a parameter, and make the function static or free
struct Grid {
  int n;
  void run(double *x) { x[0] = n; }
};
