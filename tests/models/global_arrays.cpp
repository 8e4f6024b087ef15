// Arrays of the program itself, wrong loop order; one that is only read, one that is both.
namespace app {
static double A[40][30], B[40][30];
static double scale[64] = {1, 2, 3};
} // namespace app
void global_arrays(int n, int m) {
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) app::B[i][j] = app::scale[j] * app::A[i][j] + app::B[i][j];
}
