// kopt-kernel: Grid::run
// kopt-error: Grid::run is a member function of an object that it does not use; make it static
struct Grid {
  void run(int n, double *x) const { x[0] = n; }
};
