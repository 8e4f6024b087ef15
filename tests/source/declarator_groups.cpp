// Declarations that share their text stay together.
// kopt-kernel: use
// kopt-leaves: n x first second
static int first = 1, second = 2; // +
typedef struct { // +
  double a, b;
} Point, *PointPtr;
struct Named { int v; } instance; // -
void use(int n, Point *x) { // +
  PointPtr p = x;
  for (int i = 0; i < n; ++i) p[i].a = first + second;
}
