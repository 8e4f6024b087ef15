// static_assert: beside a type, in it, in a function, and one about something that stays out.
// kopt-kernel: run
#include <cstddef> // +
#include <cstdint> // -
#include <type_traits> // +
struct Packed { // +
  float a, b;
  static_assert(sizeof(float) == 4, "float");
};
static_assert(sizeof(Packed) == 8); // -
struct Other { std::int16_t v; }; // -
static_assert(sizeof(Other) == 2, "other"); // -
template <typename T> T half(T v) { // +
  static_assert(std::is_floating_point_v<T>, "numbers only");
  return v / 2;
}
void run(int n, double *x, const Packed *p) { // +
  static_assert(offsetof(Packed, b) == 4);
  for (int i = 0; i < n; ++i) x[i] = half(x[i]) + p[i].a;
}
