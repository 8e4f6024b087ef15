// Includes inside a namespace, a class, an initializer and a function; the file of functions in a namespace is sliced too.
// kopt-kernel: run
namespace app {
#include "functions.inc" // -
}
struct Mesh { // +
#include "members.inc"
  double twice() const { return 2 * dx; }
};
static const double rows[] = { // +
#include "rows.inc"
};
static double inside(double v) { // +
#include "body.inc"
}
void run(int n, double *x) { // +
  const Mesh m{};
  for (int i = 0; i < n; ++i) x[i] = app::wanted(x[i]) + m.twice() + rows[i % 3] + inside(x[i]);
}
//! file functions.inc
inline double wanted(double v) { return v + 1; } // +
inline double unwanted(double v) { return v + 2; } // -
//! file members.inc
double dx = 1; // +
//! file rows.inc
1, 2, // +
#include "more.inc" // -
//! file more.inc
3 // +
//! file body.inc
return v * 3; // +
