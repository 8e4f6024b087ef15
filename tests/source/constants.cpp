// Constants and constant tables, with what their initializers need; a constant nobody reads.
// kopt-kernel: k::smooth
namespace k {
const int kRadius = 1; // +
constexpr int width(int r) { return 2 * r + 1; } // +
constexpr double kWeights[width(kRadius)] = {0.25, 0.5, 0.25}; // +
static const double kScale = 1.0 / (kRadius + 1); // +
constexpr double kUnused = 3; // -
void smooth(int n, const double *u, double *v) { // +
  for (int i = kRadius; i < n - kRadius; ++i) {
    v[i] = 0;
    for (int d = 0; d < width(kRadius); ++d) v[i] += kScale * kWeights[d] * u[i + d - kRadius];
  }
}
} // namespace k
