// Scoped and plain enums, named by constant only.
// kopt-kernel: pick
enum Mode { Slow, Fast }; // +
enum class Side : char { Left, Right }; // +
enum Colour { Red, Green }; // -
namespace detail {
enum { kWidth = 4 }; // +
}
int pick(int n, int *x, Side side) { // +
  for (int i = 0; i < n; ++i) x[i] = side == Side::Left ? Slow : detail::kWidth;
  return n;
}
