// kopt-kernel: Grid::run
// kopt-error: kernel.cpp:8: Grid::run uses the class' own 'start' by its bare name
// kopt-error: write Grid::start
struct Grid {
  static constexpr int start = 1;
  static void run(int n, double *x);
};
void Grid::run(int n, double *x) { x[0] = n + start; }
