// kopt-kernel: Grid::run
// kopt-error: Grid::run uses the private member 'start', which a variant outside of the class cannot
// kopt-error: make it public
class Grid {
  static constexpr int start = 1;
public:
  static void run(int n, double *x);
};
void Grid::run(int n, double *x) { x[0] = n + Grid::start; }
