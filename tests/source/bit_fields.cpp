// Bit-fields, unions and anonymous members behind pointers and in helpers.
// kopt-kernel: decode
// kopt-leaves: n c out
typedef unsigned int u32; // +
typedef unsigned short u16; // -
struct Cell { // +
  u32 kind : 3;
  u32 : 5;
  u32 weight : 24;
};
union Bits { // +
  float f;
  u32 u;
};
struct Tagged { // +
  int tag;
  union {
    double number;
    struct { u32 low, high; };
  };
};
static float as_float(u32 u) { // +
  Bits b;
  b.u = u;
  return b.f;
}
static double value(const Tagged &t) { return t.tag ? t.number : t.low; } // +
void decode(int n, const Cell *c, double *out) { // +
  for (int i = 0; i < n; ++i) {
    Tagged t{};
    t.number = c[i].weight;
    t.tag = c[i].kind;
    out[i] = value(t) + as_float(c[i].weight);
  }
}
