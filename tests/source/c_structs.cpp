// C-style types: typedef struct with and without a tag, declared ahead, arrays and function pointers by typedef.
// kopt-kernel: move
// kopt-leaves: g p w
typedef struct grid_s grid_t; // +
typedef struct point_s { // +
  double x, y;
} point_t;
struct grid_s { // +
  int n;
  double dx;
};
typedef double row_t[4]; // +
typedef double (*fun_t)(double); // +
typedef struct { int unused; } spare_t; // -
static double halve(double v) { return v / 2; } // +
static double twice(double v) { return v * 2; } // +
static const fun_t table[] = {halve, twice}; // +
static double apply(fun_t f, double v) { return f(v); } // +
extern "C" void move(const grid_t *g, point_t *p, row_t *w) { // +
  for (int i = 0; i < g->n; ++i) {
    p[i].x += g->dx * w[i][1];
    p[i].y = apply(table[i % 2], p[i].y);
  }
}
