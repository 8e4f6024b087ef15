// kopt-kernel: Grid::run
// kopt-error: Grid::run is defined inside its class and uses the class' own 'start'
// kopt-error: move the definition out of the class
struct Grid {
  static constexpr int start = 1;
  static void run(int n, double *x) { x[0] = n + start; }
};
