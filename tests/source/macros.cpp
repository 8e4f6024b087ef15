// Object-like, function-like, nested and redefined macros; one from the command line.
// kopt-kernel: stencil
// kopt-flags: -DSCALE=3 -DUNUSED=1
// kopt-macros: SCALE=3
#define WIDTH 4 // +
#define IDX(i, j) \
  ((i) * WIDTH + (j))
#define TWICE(x) ADD(x, x) // +
#define ADD(a, b) ((a) + (b)) // +
#define SPARE(x) (x) // -
#define VALUE 1 // -
int before() { return VALUE; } // -
#undef VALUE // +
#define VALUE 2 // +
void stencil(int n, double *x) { // +
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < WIDTH; ++j) x[IDX(i, j)] = SCALE * TWICE(VALUE);
}
#undef VALUE
#define VALUE 9 // -
