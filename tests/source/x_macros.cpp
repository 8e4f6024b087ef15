// A list macro that is applied to several macros: an enumeration, a table, functions, a switch in a helper.
// kopt-kernel: pick
#define COLOURS(X) \
  X(Red, 1)        \
  X(Green, 2)
#define SHAPES(X) X(Round) X(Square) // -
enum Colour { // +
#define X(name, value) k##name = value,
  COLOURS(X)
#undef X
};
#define AS_FUNCTION(name, value) \
  static double weight_##name() { return value; }
COLOURS(AS_FUNCTION) // +
#define AS_NAME(name) #name, // -
static const char *const shapes[] = {SHAPES(AS_NAME) nullptr}; // -
static double weight_of(Colour c) { // +
  switch (c) {
#define X(name, value) \
  case k##name:        \
    return weight_##name();
    COLOURS(X)
#undef X
  }
  return 0;
}
void pick(int n, double *x, Colour c) { // +
  for (int i = 0; i < n; ++i) x[i] *= weight_of(c);
}
const char *name() { return shapes[0]; } // -
