// Mutable globals are leaves; constants are not. One is defined in another source.
// kopt-kernel: app::advance
// kopt-leaves: n x app::step app::params.gain app::params.table app::scale
namespace app {
struct Params { // +
  double gain;
  double *table;
};
static int step = 3; // +
Params params; // +
extern double scale; // +
const double kFixed = 2; // +
int spare = 0; // -
void advance(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] += step * params.gain * params.table[i] * scale * kFixed;
}
} // namespace app
