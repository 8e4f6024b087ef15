// Functions that a macro makes, a macro that opens a namespace, an X-macro header that is included twice.
// kopt-kernel: app::use
#define BEGIN_APP namespace app {
#define END_APP }
#define DEFINE_GET(name, field) static double get_##name(double v) { return v + field; } // +
DEFINE_GET(one, 1) // +
DEFINE_GET(two, 2) // -
enum Kind { // +
#define KIND(name, value) name = value,
#include "kinds.def"
#undef KIND
  kEnd
};
BEGIN_APP
void use(int n, double *x) { // +
  for (int i = 0; i < n; ++i) x[i] = get_one(x[i]) + kSquare;
}
END_APP
//! file kinds.def
KIND(kRound, 1)
KIND(kSquare, 2) // +
